import type { Role } from './role.ts';
import type { Placeholder } from './template.ts';

export type PromptValues = Partial<Record<Placeholder, string>>;

/** The text an agent is given: values stand in it letter for letter, and sections about nothing are gone. */
export function renderPrompt(role: Pick<Role, 'prompt'>, values: PromptValues): string {
  const pieces: string[] = [];
  let hidden = 0;
  for (const part of role.prompt) {
    if (part.kind === 'open') hidden += hidden > 0 || isEmpty(values[part.name]) ? 1 : 0;
    else if (part.kind === 'close') hidden -= hidden > 0 ? 1 : 0;
    else if (hidden === 0) pieces.push(part.kind === 'text' ? part.text : (values[part.name] ?? ''));
  }
  return `${pieces.join('').trim()}\n`;
}

function isEmpty(value: string | undefined): boolean {
  return value === undefined || value.trim() === '';
}
