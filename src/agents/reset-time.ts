const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Times farther away are no reset of a limit; the longest limits are monthly. */
const FARTHEST_MS = 40 * DAY_MS;

/** What precedes a time in the texts of Claude, Codex, Gemini and their services. */
const LEAD = String.raw`(?:\b(?:try|tried|retry|available|use it|request) again|\bretry|\bresets?|\bwait|\bavailable|\blimit ends|\buntil)`;
const DURATION = new RegExp(
  String.raw`${LEAD}(?: (?:after|in|for|is))?(?: (?:about|around|approximately))? ((?:\d+(?:\.\d+)? ?(?:w|weeks?|d|days?|h|hrs?|hours?|m|mins?|minutes?|s|secs?|seconds?|ms|milliseconds?)\b[\s,]*(?:and )?|\d+(?:\.\d+)?(?:d|h|m|s))+|\d{1,3}:\d\d:\d\d)`,
  'i',
);
const PART = /(\d+(?:\.\d+)?) ?(milliseconds?|ms|w|d|h|m|s)/gi;
const HOURS_MINUTES_SECONDS = /^(\d+):(\d\d):(\d\d)$/;
const FIELD =
  /["']?\b((?:x-)?retry[-_]?after(?:[-_]?ms)?|retryDelay|resets?_?(?:in|after)_?seconds|resets?_?(?:at|time))["']?\s*[:=]\s*["']?([^"'\n}]+)/i;
/** The header of services behind a gateway: a time, a number of seconds, or a duration; used where nothing else says when. */
const HEADER =
  /\b(?:x-)?ratelimit-reset(?:-requests|-tokens|-after)?["']?\s*[:=]\s*["']?((?:\d+(?:\.\d+)?(?:ms|d|h|m|s)?)+)/i;
/** The old form of Claude. */
const BAR = /limit reached\|(\d{10,13})\b/i;
const ISO = new RegExp(
  String.raw`(?:${LEAD}(?: (?:at|on|after))?|reset["']?\s*[:=]\s*["']?) ?(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d| (?:UTC|GMT|Z)\b)?)`,
  'i',
);
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const DATE = String.raw`(?:(?<month>[a-z]{3,9})\.? (?<day>\d{1,2})(?:st|nd|rd|th)?,?(?: (?<year>\d{4}),?)? (?:at )?|(?<weekday>(?:sun|mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?)(?:day)?),? (?:at )?|(?<tomorrow>tomorrow),? (?:at )?)`;
const CLOCK = new RegExp(
  String.raw`${LEAD}(?: (?:at|on|by|after))? ${DATE}?(?<hour>\d{1,2})(?::(?<minute>\d{2}))?(?::\d{2})?(?:\s?(?<half>[ap]\.?m\b\.?))?(?:\s?\((?<named>[\w/+:-]+)\)|\s(?<zone>[A-Z]{1,4}T|UTC|GMT|Z)(?<shift>[+-]\d{1,2}(?::?\d{2})?)?\b)?`,
  'i',
);
/** Abbreviations of zones in hours; those of the continental United States and of Europe. */
const ABBREVIATIONS: Readonly<Record<string, number>> = {
  ...{ utc: 0, gmt: 0, z: 0, wet: 0, bst: 1, cet: 1, west: 1, cest: 2, eet: 2, eest: 3 },
  ...{ edt: -4, est: -5, cdt: -5, cst: -6, mdt: -6, mst: -7, pdt: -7, pst: -8, jst: 9 },
};

/** Times in words, and their figures. */
const WORDS: readonly [RegExp, string][] = [
  [/\bin (?:an?|one) (?=(?:second|minute|hour|day|week)\b)/gi, 'in 1 '],
  [/\bmidnight\b/gi, '12:00 AM'],
  [/\bnoon\b/gi, '12:00 PM'],
  [/\bpacific time\b/gi, '(America/Los_Angeles)'],
];

/**
 * When a limit ends, from a vendor's error text or headers: a duration, a date, or the next such time of day in the
 * named time zone, else in this machine's; undefined if the text names none. `from` is when the text was written.
 */
export function resetTimeIn(written: string, from: number): number | undefined {
  const text = WORDS.reduce((words, [word, figures]) => words.replaceAll(word, figures), written);
  const found =
    fieldTime(text, from) ??
    isoTime(text) ??
    durationTime(text, from) ??
    clockTime(text, from) ??
    headerTime(text, from);
  return found === undefined || found - from > FARTHEST_MS ? undefined : found;
}

function fieldTime(text: string, from: number): number | undefined {
  const bar = BAR.exec(text)?.[1];
  if (bar !== undefined) return epochMs(Number(bar));
  const [, field = '', value = ''] = FIELD.exec(text) ?? [];
  const number = Number(/^\s*(\d+(?:\.\d+)?)\s*(?:s\b|[,\]]|$)/.exec(value)?.[1] ?? Number.NaN);
  if (!Number.isNaN(number)) {
    if (/(?:at|time)$/i.test(field)) return epochMs(number);
    return from + Math.round(number * (/ms$/i.test(field) ? 1 : SECOND_MS));
  }
  const date = /[a-z]{3}, \d|^\s*\d{4}-\d\d-\d\dT/i.test(value) ? Date.parse(value.trim()) : Number.NaN;
  return Number.isNaN(date) ? undefined : date;
}

function headerTime(text: string, from: number): number | undefined {
  const value = HEADER.exec(text)?.[1];
  if (value === undefined) return undefined;
  const number = Number(value);
  if (Number.isNaN(number)) return durationTime(`wait ${value}`, from);
  return number > 1e9 ? epochMs(number) : from + Math.round(number * SECOND_MS);
}

function epochMs(value: number): number {
  return value < 1e11 ? value * SECOND_MS : value;
}

function isoTime(text: string): number | undefined {
  const at = Date.parse(ISO.exec(text)?.[1] ?? '');
  return Number.isNaN(at) ? undefined : at;
}

function durationTime(text: string, from: number): number | undefined {
  const units: Readonly<Record<string, number>> = { w: 7 * DAY_MS, d: DAY_MS, h: HOUR_MS, m: MINUTE_MS, s: SECOND_MS };
  let delay = 0;
  const duration = (DURATION.exec(text)?.[1] ?? '').trim();
  const spelled = duration.replace(HOURS_MINUTES_SECONDS, '$1h$2m$3s');
  for (const [, amount = '', unit = ''] of spelled.matchAll(PART)) {
    const name = unit.toLowerCase();
    delay += Number(amount) * (name.length > 1 ? 1 : (units[name] ?? 0));
  }
  return delay > 0 ? from + Math.round(delay) : undefined;
}

function clockTime(text: string, from: number): number | undefined {
  const { month, day, year, weekday, tomorrow, hour, minute = '0', half, ...zone } = CLOCK.exec(text)?.groups ?? {};
  const isHour = half === undefined ? /:\d\d/.test(CLOCK.exec(text)?.[0] ?? '') : Number(hour) >= 1;
  if (hour === undefined || !isHour || Number(hour) > (half === undefined ? 23 : 12) || Number(minute) > 59) return;
  const offset = zoneOffset(zone, from);
  if (offset === undefined) return undefined;
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/^p/i.test(half) ? 12 : 0);
  const local = new Date(from + offset);
  const wall = (days: number) => {
    const date = Date.UTC(
      local.getUTCFullYear(),
      local.getUTCMonth(),
      local.getUTCDate() + days,
      hours,
      Number(minute),
    );
    return date - (zoneOffset(zone, date - offset) ?? offset);
  };
  if (month !== undefined) {
    const index = MONTHS.indexOf(month.slice(0, 3).toLowerCase());
    if (index < 0) return undefined;
    const dateIn = (fullYear: number) => Date.UTC(fullYear, index, Number(day), hours, Number(minute));
    const named = year === undefined ? dateIn(local.getUTCFullYear()) : dateIn(Number(year));
    const utc = year === undefined && named - offset < from - DAY_MS ? dateIn(local.getUTCFullYear() + 1) : named;
    return utc - (zoneOffset(zone, utc - offset) ?? offset);
  }
  if (tomorrow !== undefined) return wall(1);
  // A text without seconds may name the minute that has just begun.
  if (weekday === undefined) return wall(0) + MINUTE_MS > from ? wall(0) : wall(1);
  const days = (WEEKDAYS.indexOf(weekday.slice(0, 3).toLowerCase()) - local.getUTCDay() + 7) % 7;
  return wall(days) > from ? wall(days) : wall(days + 7);
}

/** How far the clocks of the named zone, or of this machine, are ahead of UTC at that time. */
function zoneOffset(
  { named, zone, shift }: Readonly<Record<string, string | undefined>>,
  at: number,
): number | undefined {
  if (named === undefined && zone === undefined) return -new Date(at).getTimezoneOffset() * MINUTE_MS;
  const [, name = '', sign, hours = '0', minutes = '0'] =
    /^([a-z]+)(?:([+-])(\d{1,2}):?(\d{2})?)?$/i.exec(`${zone ?? named}${shift ?? ''}`) ?? [];
  const known = ABBREVIATIONS[name.toLowerCase()];
  if (known !== undefined) {
    const added = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
    return known * HOUR_MS + (sign === '-' ? -added : added);
  }
  return namedOffset(named ?? zone ?? '', at);
}

function namedOffset(zone: string, at: number): number | undefined {
  try {
    const parts = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' }).formatToParts(at);
    const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, pattern, hours = '0', minutes = '0'] = /^GMT(?:([+-])(\d{2}):(\d{2}))?/.exec(name) ?? [];
    const ahead = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
    return pattern === '-' ? -ahead : ahead;
  } catch {
    // A zone that this machine does not know gives no time.
    return undefined;
  }
}
