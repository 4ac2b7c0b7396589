const FIGURE = /^<?\$?\d[\d,]*(\.\d+)?$/;
const THOUSANDS = /\B(?=(\d{3})+\.)/g;

/** US dollars with two decimals; a positive amount below a cent is never shown as zero. */
export function moneyText(usd: number): string {
  return isBelowCent(usd) ? '<$0.01' : `$${twoDecimals(usd)}`;
}

/** Whether all cells of a table column are numbers or amounts of money, which are aligned at the right. */
export function areFigures(cells: readonly string[]): boolean {
  const filled = cells.filter((cell) => cell !== '');
  return filled.length > 0 && filled.every((cell) => FIGURE.test(cell));
}

/** Without a formatter of `Intl`, which takes as long to load as half a start of Node. */
function twoDecimals(usd: number): string {
  return usd.toFixed(2).replace(THOUSANDS, ',');
}

function isBelowCent(usd: number): boolean {
  return usd > 0 && usd < 0.01;
}

/** A time as local date and time. */
export function momentText(at: number | string): string {
  const date = new Date(at);
  const seconds = date.getSeconds() === 0 ? '' : `:${twoDigits(date.getSeconds())}`;
  return `${dayText(at)} ${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}${seconds}`;
}

/** The zone of a local time, for texts that are read elsewhere: `UTC`, `UTC+1`, `UTC-3:30`. */
export function zoneText(at: number | string): string {
  const minutes = -new Date(at).getTimezoneOffset();
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  if (minutes === 0) return 'UTC';
  return `UTC${minutes < 0 ? '-' : '+'}${hours}${rest === 0 ? '' : `:${twoDigits(rest)}`}`;
}

/** A local date. */
export function dayText(at: number | string): string {
  const date = new Date(at);
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
}

/** The local time of day, with seconds. */
export function timeText(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':');
}

const INSTANT = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** A time in a text that is recorded: it is read in other time zones, so `withLocalTimes` shows it. */
export function recordedTime(at: number): string {
  return new Date(at).toISOString();
}

/** A recorded text with its times in the zone of the reader: for a time of the day of `now` without the date. */
export function withLocalTimes(text: string, now = 0): string {
  return text.replaceAll(INSTANT, (instant) => untilText(Date.parse(instant), now));
}

/** When something ends: `14:05` for a local time of today, else with its date. */
export function untilText(at: number, now: number): string {
  const time = timeText(at).slice(0, 5);
  return dayText(at) === dayText(now) ? time : `${dayText(at)} ${time}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

/** A duration with units: 40ms, 1.2s, 3m 20s. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)}ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)}s`;
  const total = Math.round(ms / 1000);
  if (total < 3600) return `${Math.floor(total / 60)}m ${total % 60}s`;
  return `${Math.floor(total / 3600)}h ${Math.floor(total / 60) % 60}m`;
}
