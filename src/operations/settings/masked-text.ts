import { redactForms } from '../../core/redact.ts';
import { AppError } from '../../errors.ts';

/** Stands for a value that is not shown. */
export const HIDDEN = '[hidden]';
/** The names of settings that are secrets themselves. */
const SECRET = /^(?:key|token|password|secret)$/;
const SECRET_PAIR = /(?:^|[\s{,])["']?(?:key|token|password|secret)["']?\s*:\s*(?!["']?\$)\S/;
/** An address with a login or a password in it. */
const LOGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/\s@]+@/i;
const LOGIN_IN_LINE = /[a-z][a-z0-9+.-]*:\/\/[^/\s@"']+@/i;
/** The maps whose values may be secrets. */
const MAP = /^(?:.*[\s{,])?["']?(?:env|headers)["']?\s*:(.*)$/;
const PAIR = /^(\s*(?:- +)?[^:#]*:\s*)\S.*$/;

/** Whether a setting is not shown: a secret by its name or its form. The name of a variable (`$NAME`) is none. */
export function isHiddenSetting(name: string, value: unknown): boolean {
  if (typeof value !== 'string' || value.startsWith('$')) return false;
  return SECRET.test(name) || LOGIN.test(value) || redactForms(value) !== value;
}

/**
 * The text of a settings file that may not be readable as YAML, with every value below `env` and `headers` hidden by its
 * line alone, and settings that are secrets and known forms of secrets everywhere.
 */
export function maskText(text: string): string {
  return maskLines(text).join('\n');
}

/** A text that was edited, with the hidden values of the original where their line is unchanged. */
export function unmaskText(edited: string, original: string): string {
  const masked = maskLines(original);
  const lines = original.split('\n');
  const taken = new Set<number>();
  return edited
    .split('\n')
    .map((line, index) => {
      if (!line.includes(HIDDEN)) return line;
      const at = masked.findIndex((each, position) => each === line.trimEnd() && !taken.has(position));
      taken.add(at);
      const found = lines[at];
      if (found !== undefined) return found;
      throw new AppError(
        'INPUT_INVALID',
        `Line ${index + 1}: ${HIDDEN} is the placeholder of a hidden value, and this line was changed; write the value itself`,
        { line: index + 1 },
      );
    })
    .join('\n');
}

function maskLines(text: string): string[] {
  let indent: number | undefined;
  let isOpen = false;
  return text.split('\n').map((raw) => {
    const line = raw.trimEnd();
    const depth = line.length - line.trimStart().length;
    if (isOpen) {
      isOpen = !line.includes('}');
      return hiddenLine(line);
    }
    if (indent !== undefined && line.trim() !== '' && depth <= indent) indent = undefined;
    if (indent !== undefined) return line.trim() === '' ? line : hiddenLine(line);
    const rest = MAP.exec(line)?.[1];
    if (rest === undefined) return hiddenForms(line);
    indent = depth;
    isOpen = rest.includes('{') && !rest.includes('}');
    return rest.trim() === '' || rest.trim().startsWith('#') ? line : hiddenLine(line);
  });
}

/** A line in which a secret is recognized is hidden whole, so that it can be put back. */
function hiddenForms(line: string): string {
  const isHidden = SECRET_PAIR.test(line) || LOGIN_IN_LINE.test(line) || redactForms(line) !== line;
  return isHidden ? hiddenLine(line) : line;
}

function hiddenLine(line: string): string {
  const pair = PAIR.exec(line)?.[1];
  if (pair !== undefined) return `${pair}${HIDDEN}`;
  return line.trim().endsWith(':') ? line : `${line.slice(0, line.length - line.trimStart().length)}${HIDDEN}`;
}
