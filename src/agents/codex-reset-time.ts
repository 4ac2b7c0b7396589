const TRY_AGAIN = /try again at (?:([A-Z][a-z]{2}) (\d{1,2})(?:st|nd|rd|th)?,? (\d{4}),? )?(\d{1,2}):(\d{2}) ([AP]M)/;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const MINUTE_MS = 60_000;

/**
 * When a usage limit is over, from Codex' own message: a time of the day of `from`, or with its date, both by this
 * machine's clock. Seconds are not told, so it is the end of that minute.
 */
export function resetTimeIn(message: string, from: number): number | undefined {
  const [, month, day, year, hour, minute, half] = TRY_AGAIN.exec(message) ?? [];
  if (hour === undefined || minute === undefined || Number(hour) > 12 || Number(minute) > 59) return undefined;
  const date = new Date(from);
  if (month !== undefined) {
    if (!MONTHS.includes(month)) return undefined;
    date.setFullYear(Number(year), MONTHS.indexOf(month), Number(day));
  }
  date.setHours((Number(hour) % 12) + (half === 'PM' ? 12 : 0), Number(minute), 0, 0);
  return date.getTime() + MINUTE_MS;
}
