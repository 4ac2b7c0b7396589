/** Whether a text contains every word of a filter. */
export function matches(text: string, filter: string): boolean {
  const lower = text.toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}
