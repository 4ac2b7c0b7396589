import { InvalidArgumentError } from 'commander';
import { momentText } from '../../core/view/amounts.ts';

const UNITS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const LONGEST_MS = 366 * 86_400_000;
const FORMS = 'Use 07:30 (the next 07:30 local time), 2026-12-01 07:30, 2026-12-01T07:30:00Z, +2h or "in 20m".';

const CLOCK = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/;
const DATE = /^(\d{4})-(\d{2})-(\d{2})[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?$/;
const ZONED = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/i;
const SPAN = /^(?:\+|in )\s*(.+)$/i;

/** Reads a future time as milliseconds since 1970; rejects a time that has passed, is too far away or does not exist. */
export function parseWhen(text: string, now: number): number {
  const at = instantOf(text.trim(), now);
  if (at === undefined || Number.isNaN(at)) throw new InvalidArgumentError(`"${text}" is not a time. ${FORMS}`);
  if (at <= now) throw new InvalidArgumentError(`${momentText(at)} has passed. ${FORMS}`);
  if (at - now > LONGEST_MS) throw new InvalidArgumentError(`${momentText(at)} is more than a year away. ${FORMS}`);
  return at;
}

/** Reads `90s`, `10m`, `1h30m`, `1.5h` or `2d` as milliseconds. */
export function parseSpan(text: string): number | undefined {
  const parts = [...text.replaceAll(/\s+/g, '').matchAll(/(\d+(?:\.\d+)?)([smhd])/gi)];
  if (parts.map(([part]) => part).join('') !== text.replaceAll(/\s+/g, '')) return undefined;
  const ms = parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (UNITS[unit?.toLowerCase() ?? ''] ?? 0), 0);
  return ms > 0 ? Math.round(ms) : undefined;
}

function instantOf(text: string, now: number): number | undefined {
  const span = SPAN.exec(text)?.[1];
  if (span !== undefined) {
    const ms = parseSpan(span);
    return ms === undefined ? undefined : now + ms;
  }
  const clock = CLOCK.exec(text);
  if (clock !== null) return nextClock(numbers(clock.slice(1)), now);
  if (ZONED.test(text)) return zoned(text);
  const date = DATE.exec(text);
  return date === null ? undefined : local(text, numbers(date.slice(1)));
}

function numbers(parts: readonly (string | undefined)[]): number[] {
  return parts.map((part) => Number(part ?? 0));
}

/** The next occurrence of a local time of day; daylight saving may skip or repeat it on a day. */
function nextClock([hour = 0, minute = 0, second = 0]: number[], now: number): number | undefined {
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const today = new Date(now);
  for (let day = 0; day <= 2; day += 1) {
    const wall = [today.getFullYear(), today.getMonth() + 1, today.getDate() + day, hour, minute, second];
    const first = moment(wall);
    const found = [first, first + 3_600_000].find((at) => at > now && shows(at, [hour, minute, second]));
    if (found !== undefined) return found;
  }
  return undefined;
}

function local(text: string, wall: number[]): number | undefined {
  const [, month = 0, day = 0, hour = 0, minute = 0, second = 0] = wall;
  if (month < 1 || month > 12 || hour > 23 || minute > 59 || second > 59) return undefined;
  const at = moment(wall);
  if (new Date(at).getDate() !== day) return undefined;
  if (shows(at, [hour, minute, second])) return at;
  throw new InvalidArgumentError(`${text} does not exist in the local time zone because of daylight saving. ${FORMS}`);
}

function zoned(text: string): number | undefined {
  const day = Number(text.slice(8, 10));
  const month = Number(text.slice(5, 7));
  const isDay = day >= 1 && day <= new Date(Date.UTC(Number(text.slice(0, 4)), month, 0)).getUTCDate();
  return isDay ? Date.parse(text.replace(' ', 'T')) : undefined;
}

function moment([year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0]: readonly number[]): number {
  return new Date(year, month - 1, day, hour, minute, second).getTime();
}

function shows(at: number, [hour, minute, second]: readonly number[]): boolean {
  const date = new Date(at);
  return date.getHours() === hour && date.getMinutes() === minute && date.getSeconds() === second;
}
