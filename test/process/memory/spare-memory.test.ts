import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const MODULE = join(import.meta.dirname, '../../../src/process/memory/spare-memory.ts');
const MEGABYTE = 1024 * 1024;
/** Keeps what it allocates without a pause; then lets the observers of collections run. */
const PROGRAM = `
import { setImmediate } from 'node:timers/promises';
import { spareMemory, youngBytes } from ${JSON.stringify(MODULE)};
spareMemory({ isServer: true });
const kept = [];
const keep = () => { for (let index = 0; index < 100_000; index += 1) kept.push({ index, text: 'x' + index }); };
keep();
const busy = youngBytes();
const observed = [];
for (let turn = 0; turn < 20; turn += 1) {
  keep();
  await setImmediate();
  observed.push(youngBytes());
}
console.log(JSON.stringify({ busy, observed }));
`;

it('lets the young generation of a server grow to a bound, also in a long computation', () => {
  const program = ['--input-type=module', '--eval', PROGRAM];
  const { busy, observed } = JSON.parse(execFileSync(process.execPath, program, { encoding: 'utf8' }));
  expect(busy).toBeLessThanOrEqual(8 * MEGABYTE);
  // Pages that are being released count for a moment.
  expect(Math.min(...observed.slice(-10))).toBe(8 * MEGABYTE);
});

it('leaves the options of V8 of a run with a dashboard as they were, with which its compiled code is kept', () => {
  const program = `
import { cachedDataVersionTag } from 'node:v8';
import { spareMemory } from ${JSON.stringify(MODULE)};
const before = cachedDataVersionTag();
process.on('exit', () => console.log(JSON.stringify({ isSame: cachedDataVersionTag() === before })));
spareMemory({ isServer: false });
if (cachedDataVersionTag() === before) throw new Error('No option was set');
`;
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
  expect(JSON.parse(output)).toEqual({ isSame: true });
});
