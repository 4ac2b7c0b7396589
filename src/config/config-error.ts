import { AppError } from '../errors.ts';

/** Something wrong in a file of settings, where a person finds it. */
export type Mistake = { file: string; line: number; column: number; key: string; reason: string };

const MAX_SHOWN = 20;

/** Refuses the settings with all their mistakes at once, each as file:line:column. */
export function refuseConfig(mistakes: readonly Mistake[]): never {
  const shown = mistakes.slice(0, MAX_SHOWN).map(mistakeText);
  if (mistakes.length > MAX_SHOWN) shown.push(`and ${mistakes.length - MAX_SHOWN} more`);
  throw new AppError('CONFIG_INVALID', shown.join('\n'), { mistakes });
}

function mistakeText({ file, line, column, key, reason }: Mistake): string {
  return `${file}:${line}:${column}: ${key === '' ? '' : `${key}: `}${reason}`;
}
