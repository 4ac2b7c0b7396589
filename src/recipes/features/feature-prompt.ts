import type { Feature } from '../../schema/work-file.ts';

/** What the implementer of a feature is told. */
export function featurePrompt(feature: Feature): string {
  const about = [`Feature ${feature.id}: ${feature.name}`];
  if (feature.category !== '') about.push(`Category: ${feature.category}`);
  const parts = [about.join('\n'), feature.description.trim()];
  if (feature.steps.length > 0)
    parts.push(
      `It is done when another agent, which only sees the result, can go through these steps:\n\n${numbered(feature.steps)}`,
    );
  return parts.filter((part) => part !== '').join('\n\n');
}

/** What the verifier of a feature is told. */
export function verifyPrompt(feature: Feature, appUrl: string | undefined): string {
  const parts = [`Feature ${feature.id}: ${feature.name}`, feature.description.trim()];
  if (feature.steps.length > 0) parts.push(`The steps, each of which needs a result:\n\n${numbered(feature.steps)}`);
  if (appUrl !== undefined && !appUrl.includes('{port}')) parts.push(`The application runs at ${appUrl}.`);
  return parts.filter((part) => part !== '').join('\n\n');
}

function numbered(steps: readonly string[]): string {
  return steps.map((step, index) => `STEP ${index + 1}: ${step}`).join('\n');
}
