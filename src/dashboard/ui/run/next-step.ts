/** A piece of a sentence: plain text, or a command that can be copied. */
export type StepPiece = { kind: 'text' | 'command'; text: string };

const ARGUMENT = String.raw`--[a-z-]+(?:[ =](?:'[^']*'|[\w./=:-]*\w))?|'[^']*'|"[^"]*"|[0-9a-hjkmnp-tv-z]{8}(?: (?!then\b|and\b|or\b)[A-Za-z0-9](?:[\w./-]*\w)?)?`;

const COMMAND = new RegExp(String.raw`\bmanyhands [a-z][a-z-]*(?: (?:${ARGUMENT}))*`, 'g');

/** Commands that use the latest run of a folder unless a run is named. */
const ABOUT_RUN = /^manyhands (retry|resume|approve|logs|salvage)$/;

/** Finds the commands in a sentence; one that names no run gets the run as its argument. */
export function stepPieces(sentence: string, run: string): StepPiece[] {
  const pieces: StepPiece[] = [];
  let end = 0;
  for (const match of sentence.matchAll(COMMAND)) {
    const [command] = match;
    if (match.index > end) pieces.push({ kind: 'text', text: sentence.slice(end, match.index) });
    pieces.push({ kind: 'command', text: ABOUT_RUN.test(command) ? `${command} ${run}` : command });
    end = match.index + command.length;
  }
  if (end < sentence.length) pieces.push({ kind: 'text', text: sentence.slice(end) });
  return pieces;
}
