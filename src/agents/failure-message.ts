const LONGEST_MESSAGE = 500;

/** What a program said of its failure, short enough to stand in a line for a person. */
export function failureMessage(text: string): string {
  const line = text.trim();
  return line.length > LONGEST_MESSAGE ? `${line.slice(0, LONGEST_MESSAGE)}…` : line;
}
