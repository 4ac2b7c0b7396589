/** Keeps the last lines in bounded memory. */
export interface TailOfLines {
  add(line: string): void;
  text(): string;
}

/** Enough for a summary or for evidence in a prompt; the transcript has the full text. */
const LONGEST_TEXT = 16_000;

/** A tail that begins at a line, or within the last line when that alone is too long. */
export function tailOfLines(longest = LONGEST_TEXT): TailOfLines {
  let lines: string[] = [];
  let length = 0;
  const trim = () => {
    let first = lines.length - 1;
    let kept = (lines[first]?.length ?? 0) + 1;
    while (first > 0 && kept + (lines[first - 1]?.length ?? 0) + 1 <= longest) {
      first -= 1;
      kept += (lines[first]?.length ?? 0) + 1;
    }
    lines = lines.slice(first);
    length = kept;
  };
  return {
    add(line) {
      const end = line.slice(-longest);
      lines.push(end);
      length += end.length + 1;
      if (length > 2 * longest) trim();
    },
    text() {
      if (length > longest) trim();
      return lines.join('\n').trim();
    },
  };
}
