import { AppError } from '../errors.ts';

/** An error in a settings file, with its location. */
export type ConfigIssue = { file: string; line: number; column: number; key: string; reason: string };

const MAX_SHOWN = 20;

/** Refuses the settings with all their errors at once, each as file:line:column. */
export function refuseConfig(issues: readonly ConfigIssue[]): never {
  const shown = issues.slice(0, MAX_SHOWN).map(issueText);
  if (issues.length > MAX_SHOWN) shown.push(`and ${issues.length - MAX_SHOWN} more`);
  throw new AppError('CONFIG_INVALID', shown.join('\n'), { mistakes: issues });
}

function issueText({ file, line, column, key, reason }: ConfigIssue): string {
  return `${file}:${line}:${column}: ${key === '' ? '' : `${key}: `}${reason}`;
}
