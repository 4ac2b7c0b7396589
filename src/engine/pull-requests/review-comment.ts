import { lastAttempt, type RunState } from '../../core/run/state.ts';
import { ReviewOutput } from '../../schema/output.ts';
import { plainText } from './pull-request-body.ts';

const MAX_FINDINGS = 50;
const DESCRIPTION_CHARS = 1_000;

/** The comment on a reviewed pull request, and the key by which it is found again. */
export function reviewComment(state: RunState): { key: string; body: string } {
  const key = `Manyhands, run ${state.start.run}`;
  const findings = findingsOf(state);
  const listed = findings.slice(0, MAX_FINDINGS).map(({ severity, file, line, title, description }) => {
    const location = file === undefined ? '' : ` (${plainText(`${file}${line === undefined ? '' : `:${line}`}`)})`;
    return `- **${severity}** ${plainText(title)}${location}: ${plainText(description.slice(0, DESCRIPTION_CHARS))}`;
  });
  const body = [
    '## Review',
    findings.length === 0 ? 'Nothing was found.' : listed.join('\n'),
    '## Checks',
    checksOf(state),
    `Reviewed by ${key}.`,
  ];
  return { key, body: body.join('\n\n') };
}

/** The findings of the last review. */
function findingsOf(state: RunState): ReviewOutput['findings'] {
  const reviews = state.order.filter((key) => state.tasks[key]?.spec.role === 'review');
  const last = state.tasks[reviews.at(-1) ?? ''];
  const output = ReviewOutput.safeParse(last === undefined ? undefined : lastAttempt(last)?.ended?.output);
  return output.success ? output.data.findings : [];
}

function checksOf(state: RunState): string {
  const all = [...(state.baseEvidence ?? []), ...Object.values(state.proven)];
  const found = new Map(all.filter(({ tree }) => tree === state.tip.tree).map((evidence) => [evidence.gate, evidence]));
  if (found.size === 0) return 'No check ran on it.';
  return [...found.values()].map(({ gate, verdict }) => `- ${plainText(gate)}: ${verdict}`).join('\n');
}
