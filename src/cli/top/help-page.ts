import { pad } from '../text-width.ts';
import type { View } from './view.ts';

const KEYS: readonly [string, string][] = [
  ['j k, arrows', 'down and up; PgDn PgUp, Home End (also g and G) by more'],
  ['Enter, right', 'open the run, then the output of a task'],
  ['Esc, left', 'back; first clears the filter'],
  ['a', 'approve the plan, or held work'],
  ['c', 'cancel the run; everything it made is kept'],
  ['r', 'try again what failed, or the task under the cursor'],
  ['p', 'pause the run, or go on with it'],
  ['l', 'land the result on the branch it started from'],
  ['s', 'send a message to the agent of the task'],
  ['[ ]', 'at the output: the attempt before, and after'],
  ['o', 'open it in the browser, if a server runs (mh serve)'],
  ['/', 'show only what holds these words'],
  ['Ctrl-L', 'draw again, and look whether an engine runs'],
  ['q', 'quit; nothing that runs is touched'],
];

/** What every key does. */
export function helpBody({ top, colors }: View, room: number): string[] {
  const lines = KEYS.map(([key, meaning]) =>
    ` ${colors.bold(pad(key, 14))} ${meaning}`.slice(0, top.size.columns + 20),
  );
  return ['', ...lines].slice(0, room);
}
