import { statePath } from '../look/icon.tsx';
import type { Look } from '../look/state.ts';

/** A hand of five strokes: what the tab shows while nothing is going on. */
const CALM = 'M3 13V7M5.5 13V4M8 13V2.5M10.5 13V4M13 13V7';

/** The tab's icon: the drawing of the most urgent state in its colour. */
export function favicon(look: Look | undefined, colour: string): string {
  const path = look === undefined ? CALM : statePath(look);
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="none" stroke="${colour}" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"><path d="${path}"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(drawing)}`;
}
