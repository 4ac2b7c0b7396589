import { rmSync } from 'node:fs';
import { AppError } from '../../../src/errors.ts';
import { openSqliteStore } from '../../../src/store/sqlite/open.ts';
import { realWorld } from '../../../src/world.ts';

/** Appends until the disk is full, then removes the ballast and appends once more; prints what it saw as JSON. */
const [file = '', ballast = ''] = process.argv.slice(2);
const store = await openSqliteStore({ file, world: realWorld });
const received: number[] = [];
store.onAppend((events) => received.push(...events.map(({ version }) => version)));

let acknowledged = 0;
let codes: string[] = [];
while (codes.length === 0 && acknowledged < 5_000) {
  const results = await Promise.allSettled([append(), append(), append()]);
  acknowledged += results.filter(({ status }) => status === 'fulfilled').length;
  codes = results.filter((result) => result.status === 'rejected').map(({ reason }) => codeOf(reason));
}
const shown = store.read('s').length;
const notified = received.length;
rmSync(ballast, { force: true });
const later = await append().then(
  () => 'stored',
  (error: unknown) => codeOf(error),
);
console.log(JSON.stringify({ acknowledged, codes, shown, notified, later }));

function append() {
  return store.append([{ stream: 's', expected: -1, events: [{ type: 'filled', data: 'x'.repeat(10_000) }] }], 0);
}

function codeOf(error: unknown): string {
  return error instanceof AppError ? error.code : String(error);
}
