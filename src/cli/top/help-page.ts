import { pad, shorten } from '../text-width.ts';
import type { View } from './view.ts';

const KEY_WIDTH = 12;
const KEYS: readonly [string, string][] = [
  ['j k, arrows', 'down, up; also PgDn PgUp Home End'],
  ['Enter, right', 'open the run, then the output of a task'],
  ['Esc, left', 'back; first clears the filter'],
  ['a', 'approve the plan, or held work'],
  ['c', 'cancel the run; everything it made is kept'],
  ['r', 'try again what failed, or this task'],
  ['p', 'pause the run, or go on with it'],
  ['l', 'land the result on its base branch'],
  ['s', 'send a message to the agent of the task'],
  ['[ ]', 'at the output: attempt before, after'],
  ['o', 'open in the browser, if mh serve runs'],
  ['/', 'show only what holds these words'],
  ['Ctrl-L', 'draw again, and look whether an engine runs'],
  ['q', 'quit; nothing that runs is touched'],
];

/** What every key does. */
export function helpBody({ top, colors }: View, room: number): string[] {
  const lines = KEYS.map(([key, meaning]) => {
    const shown = shorten(meaning, top.size.columns - KEY_WIDTH - 2);
    return ` ${colors.bold(pad(key, KEY_WIDTH))} ${shown}`;
  });
  return lines.length < room ? ['', ...lines] : lines.slice(0, room);
}
