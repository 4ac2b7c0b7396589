import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from './installation.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Installs two packages and ends only when the file `continue` exists. */
const NPM = `import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
const folder = process.argv[process.argv.indexOf('--prefix') + 1];
for (const name of ['one', '@scope/two']) mkdirSync(join(folder, 'node_modules', name), { recursive: true });
writeFileSync(join(folder, 'node_modules/.package-lock.json'), '{"packages":{}}');
while (!existsSync(process.env.CONTINUE)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
`;

test('npm start reports what it installs and how far it is, while npm is still running', async () => {
  const folder = temporaryFolder();
  for (const part of ['bin', 'scripts']) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  const release = join(folder, 'continue');
  const npm = join(folder, 'npm-cli.js');
  writeFileSync(npm, NPM);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'package-lock.json'), '{"packages":{"":{}}}');
  const script = `import(${JSON.stringify(join(folder, 'scripts/steps/ready.mjs'))}).then(({ makeReady }) => makeReady())`;
  const child = spawn(process.execPath, ['-e', script], {
    env: { ...process.env, npm_execpath: npm, CONTINUE: release },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    lines.push(line);
    if (/\d+ s, /.test(line)) break;
  }
  expect(lines).toEqual([
    'Installing dependencies (once; up to a minute) …',
    expect.stringMatching(/^Installing dependencies: \d+ s, 2 packages so far …$/),
  ]);
  writeFileSync(release, '');
  child.stderr.resume();
  await ended;
  expect(existsSync(join(folder, 'node_modules/@scope/two'))).toBe(true);
});
