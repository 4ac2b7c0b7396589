/** Deeper than any legitimate result, and far below the depth at which recursive readers would overflow. */
const DEEPEST = 200;

/** The JSON object that a line consists of, or undefined; maliciously deep nesting is rejected. */
export function parseJsonObject(line: string): Record<string, unknown> | undefined {
  const text = line.trim();
  if (!text.startsWith('{') || !text.endsWith('}') || depthOf(text) > DEEPEST) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    // A line that only looks like JSON is ordinary text.
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const letter = text[index];
    if (quoted && letter === '\\') index += 1;
    else if (letter === '"') quoted = !quoted;
    else if (!quoted && (letter === '{' || letter === '[')) deepest = Math.max(deepest, ++depth);
    else if (!quoted && (letter === '}' || letter === ']')) depth -= 1;
  }
  return deepest;
}
