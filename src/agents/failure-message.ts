const LONGEST_MESSAGE = 500;

/** A program's error text, shortened for display in one line. */
export function failureMessage(text: string): string {
  const line = text.trim();
  return line.length > LONGEST_MESSAGE ? `${line.slice(0, LONGEST_MESSAGE)}…` : line;
}
