const RESETS = /\bresets (?:at )?(\d{1,2})(?::(\d{2}))?\s?([ap]m) \(([\w/+-]+)\)/i;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** The next time after `from` that Claude's own error text names, as in "resets 7:38pm (UTC)". */
export function resetTimeIn(text: string, from: number): number | undefined {
  const [, hour, minute = '0', half, zone] = RESETS.exec(text) ?? [];
  if (hour === undefined || half === undefined || zone === undefined) return undefined;
  const offset = offsetOf(zone, from);
  if (offset === undefined || Number(hour) > 12 || Number(minute) > 59) return undefined;
  const minutes = ((Number(hour) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0)) * 60 + Number(minute);
  const midnight = Math.floor((from + offset) / DAY_MS) * DAY_MS - offset;
  const today = midnight + minutes * MINUTE_MS;
  return today > from ? today : today + DAY_MS;
}

/** How far a time zone's clocks are ahead of UTC at that time. */
function offsetOf(zone: string, at: number): number | undefined {
  try {
    const parts = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' }).formatToParts(at);
    const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours = '0', minutes = '0'] = /^GMT(?:([+-])(\d{2}):(\d{2}))?/.exec(name) ?? [];
    const ahead = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
    return sign === '-' ? -ahead : ahead;
  } catch {
    // A zone that this machine does not know gives no time.
    return undefined;
  }
}
