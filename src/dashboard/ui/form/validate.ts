import type { Field, Range } from './field.ts';
import { isSchema } from './json-schema.ts';

/** What is wrong with a form, by the dotted path of the field; `''` is about all of it. */
export type InputErrors = ReadonlyMap<string, string>;

export const NO_MISTAKES: InputErrors = new Map();

/** Where a field stands, as a server names it. */
export function pathTo(path: string, key: string | number): string {
  return path === '' ? String(key) : `${path}.${key}`;
}

/** The mistakes of what is typed: what is needed and missing, and what cannot be right. The server judges all of it anew. */
export function findMistakes(field: Field, value: unknown, path = ''): Map<string, string> {
  const found = new Map<string, string>();
  note(field, value, { path, found });
  return found;
}

type Place = { path: string; found: Map<string, string> };

function note(field: Field, value: unknown, place: Place): void {
  if (value === undefined && field.kind !== 'group') return;
  const below = (key: string | number): Place => ({ path: pathTo(place.path, key), found: place.found });
  switch (field.kind) {
    case 'group': {
      const values = isSchema(value) ? value : {};
      for (const { key, field: own, isNeeded, title } of field.entries) {
        const held = values[key];
        if (isNeeded && isBlank(held)) place.found.set(below(key).path, `${title} is needed.`);
        else if (held !== undefined) note(own, held, below(key));
      }
      return;
    }
    case 'list':
      if (Array.isArray(value)) for (const [index, item] of value.entries()) note(field.item, item, below(index));
      return;
    case 'map':
      if (isSchema(value)) for (const [key, item] of Object.entries(value)) note(field.item, item, below(key));
      return;
    default: {
      const mistake = mistakeOf(field, value);
      if (mistake !== undefined) place.found.set(place.path, mistake);
    }
  }
}

function isBlank(value: unknown): boolean {
  return value === undefined || (typeof value === 'string' && value.trim() === '');
}

function mistakeOf(field: Field, value: unknown): string | undefined {
  switch (field.kind) {
    case 'number':
      return numberMistake(field, value);
    case 'span':
      return typeof value === 'number' ? undefined : 'A time such as 90s, 10m, 1h30m or 2d.';
    case 'moment':
      return typeof value === 'number' ? undefined : 'A date and a time.';
    case 'choice':
      return typeof value === 'string' && field.options.includes(value)
        ? undefined
        : `One of ${field.options.join(', ')}.`;
    case 'text':
      return typeof value === 'string' && field.pattern !== undefined && !fits(field.pattern, value)
        ? `It does not have the form ${field.pattern}`
        : undefined;
    default:
      return undefined;
  }
}

function numberMistake({ isWhole, range }: { isWhole: boolean; range: Range }, value: unknown): string | undefined {
  const isNumber = typeof value === 'number' && Number.isFinite(value) && (!isWhole || Number.isInteger(value));
  const { least, most, isOpen } = range;
  const isLow = isNumber && least !== undefined && (isOpen ? value <= least : value < least);
  const isHigh = isNumber && most !== undefined && value > most;
  if (isNumber && !isLow && !isHigh) return undefined;
  return `${isWhole ? 'A whole number' : 'A number'}${rangeText(range)}.`;
}

/** A range in words, with a blank before them. */
export function rangeText({ least, most, isOpen }: Range): string {
  const from =
    least === undefined
      ? ''
      : isOpen
        ? ` above ${least}`
        : most === undefined
          ? ` of at least ${least}`
          : ` from ${least}`;
  const upTo =
    most === undefined
      ? ''
      : least === undefined || isOpen
        ? ` of at most ${most.toLocaleString('en-US')}`
        : ` to ${most.toLocaleString('en-US')}`;
  return `${from}${from !== '' && upTo !== '' && isOpen ? ' and' : ''}${upTo}`;
}

/** A pattern that this browser cannot read is left to the server. */
function fits(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(value);
  } catch {
    return true;
  }
}

/** Mistakes that a server tells as `path: what is wrong`. */
export function mistakesFrom(told: unknown): Map<string, string> {
  const found = new Map<string, string>();
  for (const each of Array.isArray(told) ? told : []) {
    if (typeof each !== 'string') continue;
    const at = each.indexOf(': ');
    found.set(each.slice(0, Math.max(0, at)), at < 0 ? each : each.slice(at + 2));
  }
  return found;
}

/** Whether a list of short texts is meant, which is typed with a line for each. */
export function isLines(field: Field): boolean {
  return field.kind === 'list' && field.item.kind === 'text' && !field.item.isLong;
}

/** The first mistake about a field or anything inside of it. */
export function mistakeAt(mistakes: InputErrors, path: string, isInsideToo: boolean): string | undefined {
  const own = mistakes.get(path);
  if (own !== undefined || !isInsideToo) return own;
  for (const [at, text] of mistakes) {
    if (!at.startsWith(`${path}.`)) continue;
    const line = Number(at.slice(path.length + 1));
    return Number.isInteger(line) ? `Line ${line + 1}: ${text}` : text;
  }
  return undefined;
}
