import { watch } from 'node:fs';
import { errorCode } from '../../errors.ts';
import { realWorld } from '../../world.ts';

/** Calls for changes of a file or folder until it is closed. */
export interface PathWatcher {
  close(): void;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** What the system answers when the user has no more of its watches; a program of a task can use them all up. */
const USED_UP = ['ENOSPC', 'EMFILE', 'ENFILE'];
const LOOK_EVERY_MS = 250;

/** Watches a file or folder; where the system has no watch left, changes are assumed again and again. */
export function watchPath(path: string, onChange: (event: string, name: string | null) => void): PathWatcher {
  try {
    return watch(path, onChange);
  } catch (error) {
    if (!USED_UP.includes(errorCode(error) ?? '')) throw error;
    return assumedChanges(() => onChange('change', null));
  }
}

function assumedChanges(onChange: () => void): PathWatcher {
  let cancel = () => {};
  const schedule = () => {
    cancel = realWorld.alarm(realWorld.now() + LOOK_EVERY_MS, () => {
      schedule();
      onChange();
    });
  };
  schedule();
  return { close: () => cancel(), on: () => {} };
}
