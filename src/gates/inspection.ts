import type { GateResult } from './gate.ts';

const SHOWN_CHARS = 200;

/** The result of an inspecting gate without saved work: never a pass. */
export function noWork(): GateResult {
  return { verdict: 'error', summary: 'There is no saved work to look at', exitCode: null, setup: '', durationMs: 0 };
}

/** A path as it may be shown: on one line, without anything that steers a terminal, not endless. */
export function shownPath(path: string): string {
  const clean = path.replace(/[^\P{C}]/gu, '?');
  return clean.length <= SHOWN_CHARS ? clean : `${clean.slice(0, SHOWN_CHARS)}…`;
}
