const SPAN_UNITS: readonly [string, number][] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
];

/** Parses a number; text that is not a number is returned unchanged, so that no input is lost. */
export function parseNumber(text: string): number | string | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const number = Number(trimmed);
  return Number.isFinite(number) && /^-?[\d.]+(e\d+)?$/i.test(trimmed) && !trimmed.endsWith('.') ? number : trimmed;
}

/** Parses `90s`, `10m`, `1h30m` or `2d` to milliseconds; other text is returned unchanged. */
export function parseDuration(text: string): number | string | undefined {
  const bare = text.replaceAll(/\s+/g, '').toLowerCase();
  if (bare === '') return undefined;
  const parts = [...bare.matchAll(/(\d+(?:\.\d+)?)([smhd])/g)];
  if (parts.map(([part]) => part).join('') !== bare) return text;
  const unitMs = (unit: string | undefined) => SPAN_UNITS.find(([name]) => name === unit)?.[1] ?? 0;
  return Math.round(parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * unitMs(unit), 0));
}

export function durationText(value: unknown): string {
  if (typeof value !== 'number') return typeof value === 'string' ? value : '';
  let rest = value;
  const parts = SPAN_UNITS.flatMap(([name, ms]) => {
    const amount = Math.floor(rest / ms);
    rest -= amount * ms;
    return amount === 0 ? [] : [`${amount}${name}`];
  });
  return parts.join(' ');
}

/** The trimmed, non-empty lines of a text. */
export function parseLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** A time as a `datetime-local` input takes it: local time to the minute. */
export function dateTimeText(value: unknown): string {
  if (typeof value !== 'number') return '';
  const date = new Date(value);
  const two = (number: number) => String(number).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

export function parseDateTime(text: string): number | undefined {
  const at = new Date(text).getTime();
  return Number.isNaN(at) ? undefined : at;
}

/** A value as read-only text. */
export function valueText(value: unknown): string {
  if (value === undefined || value === null) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return value === '' ? 'empty' : value;
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(valueText).join(', ');
  if (typeof value === 'object') return Object.keys(value).length === 0 ? 'none' : JSON.stringify(value);
  return String(value);
}
