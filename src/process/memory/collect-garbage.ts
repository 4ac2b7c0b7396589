import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What V8's function for it takes: the young generation, or everything that nothing refers to. */
type Collection = { type: 'minor' } | { type: 'major'; execution: 'sync'; flavor: 'last-resort' };

let gc: ((collection: Collection) => void) | undefined;

/** Collects garbage now; the flag is set at the first call, because programs are not started with it. */
export function collectGarbage(collection: Collection): void {
  if (gc === undefined) {
    setFlagsFromString('--expose-gc');
    gc = runInNewContext('gc') as (of: Collection) => void; // what the flag adds to a new context
  }
  gc(collection);
}
