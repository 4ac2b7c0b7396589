import { acquireLock } from '../../../src/store/lock.ts';

/** Takes the lock, drops every reference to it, collects garbage, says whether it got it, and stays until it is killed. */
const [file = ''] = process.argv.slice(2);
const got = (await acquireLock(file)) !== undefined;
globalThis.gc?.();
await new Promise((resolve) => setImmediate(resolve));
globalThis.gc?.();
process.stdin.resume();
console.log(got ? 'held' : 'refused');
