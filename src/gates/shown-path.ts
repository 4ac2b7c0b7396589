const SHOWN_CHARS = 200;

/** A path as it may be shown: on one line, without anything that steers a terminal, not endless. */
export function shownPath(path: string): string {
  const clean = path.replace(/[^\P{C}]/gu, '?');
  return clean.length <= SHOWN_CHARS ? clean : `${clean.slice(0, SHOWN_CHARS)}…`;
}
