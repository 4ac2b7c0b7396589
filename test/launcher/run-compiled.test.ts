import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SERVER_OPTIONS } from '../../src/process/memory/server-options.ts';

const RUNNER = join(import.meta.dirname, '../../src/run-compiled.ts');
/** Uses a function of another file, a module of Node, and as much processor time as it is given in milliseconds. */
const WRAPPED = (text: string) => `(function (exports, require, module, __moduleUrl) {${text}})`;
const PROGRAM = `
const { double } = require('./chunk-a.cjs');
const { basename } = require('node:path');
const crypto = require('node:crypto');
const until = Number(process.argv[3] ?? 0) * 1000;
while (process.cpuUsage().user < until) for (let count = 0; count < 1e6; count += 1) Math.sqrt(count);
console.log(double(21), basename(__moduleUrl), crypto.createHash('sha1').digest('hex').slice(0, 4));
`;

async function makeProgram(): Promise<{ folder: string; run(...args: string[]): string; kept(): string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'run-compiled-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const define = { BUILD_ID: '"first"' };
  const options = { bundle: true, platform: 'node', format: 'esm', define, logLevel: 'silent' } as const;
  await build({ ...options, entryPoints: [RUNNER], outfile: join(folder, 'main.js') });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'main.cjs'), WRAPPED(PROGRAM));
  writeFileSync(join(folder, 'chunk-a.cjs'), WRAPPED('exports.double = (value) => 2 * value;'));
  return {
    folder,
    run: (...args) => execFileSync(process.execPath, [join(folder, 'main.js'), ...args], { encoding: 'utf8' }).trim(),
    kept: () => readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.bin')),
  };
}

describe('a program of the build', () => {
  it('keeps what a command compiled, for the next start of that command', async () => {
    const { run, kept } = await makeProgram();
    expect(run('ls')).toBe('42 main.cjs da39');
    expect(kept().toSorted()).toEqual([
      expect.stringMatching(/first-.*\/ls\/chunk-a\.cjs\.bin$/),
      expect.stringMatching(/first-.*\/ls\/main\.cjs\.bin$/),
    ]);
    expect(run('rare')).toBe('42 main.cjs da39');
    expect(kept().filter((name) => name.includes('/other/'))).toHaveLength(2);
  });

  it('loads a deferred file when one of its exports is first used', async () => {
    const { folder, run, kept } = await makeProgram();
    writeFileSync(join(folder, 'chunk-deferred-b.cjs'), WRAPPED('let count = 0; exports.next = () => ++count;'));
    const used = "const b = require('./chunk-deferred-b.cjs'); if (process.argv[2] === 'show') b.next();";
    const program = `${used} if (process.argv[2] === 'show') console.log(b.next(), b.other); else console.log('none');`;
    writeFileSync(join(folder, 'main.cjs'), WRAPPED(program));
    expect(run('ls')).toBe('none');
    expect(kept().map((name) => name.replace(/.*\//, ''))).toEqual(['main.cjs.bin']);
    expect(run('show')).toBe('2 undefined');
    expect(kept().map((name) => name.replace(/.*\//, ''))).toContain('chunk-deferred-b.cjs.bin');
  });

  it('replaces it when a process worked longer, and not otherwise', async () => {
    const { folder, run, kept } = await makeProgram();
    const changes = () => kept().map((name) => statSync(join(folder, name)).ino);
    run('do');
    const first = changes();
    run('do', '600');
    const second = changes();
    expect(second).not.toEqual(first);
    run('do', '300');
    expect(changes()).toEqual(second);
  });

  it('is used by the next start of a server, although its options of V8 are others', async () => {
    const { folder, run, kept } = await makeProgram();
    const options = SERVER_OPTIONS.map((option) => `require('node:v8').setFlagsFromString('${option}');`);
    writeFileSync(join(folder, 'main.cjs'), WRAPPED(`${options.join('')}${PROGRAM}`));
    const changes = () => kept().map((name) => statSync(join(folder, name)).ino);
    run('serve', '300');
    const first = changes();
    expect(first).toHaveLength(2);
    run('serve');
    expect(changes()).toEqual(first);
  });

  it('adds what usual starts run, after a long one kept the functions that it ran', async () => {
    const { folder, run, kept } = await makeProgram();
    const usual = `exports.usual = () => [${Array.from({ length: 200 }, (_, index) => `'value ${index}'`)}].length;`;
    writeFileSync(join(folder, 'chunk-a.cjs'), WRAPPED(`exports.double = (value) => 2 * value; ${usual}`));
    const program = "if (process.argv[3] === undefined) require('./chunk-a.cjs').usual();";
    writeFileSync(join(folder, 'main.cjs'), WRAPPED(`${PROGRAM}${program}`));
    const size = () => {
      const name = kept().find((each) => each.endsWith('chunk-a.cjs.bin')) ?? '';
      return statSync(join(folder, name)).size;
    };
    run('show', '600');
    const before = size();
    // One in seventeen compares.
    for (let starts = 0; starts < 400 && size() === before; starts += 1) run('show');
    expect(size()).toBeGreaterThan(before * 1.01);
  });

  it('compiles again what was kept in part or for another source', async () => {
    const { folder, run, kept } = await makeProgram();
    run('ls');
    for (const name of kept()) {
      const path = join(folder, name);
      writeFileSync(path, readFileSync(path).subarray(0, -20));
    }
    expect(run('ls')).toBe('42 main.cjs da39');
    writeFileSync(join(folder, 'chunk-a.cjs'), WRAPPED('exports.double = (value) => 200 * value;'));
    expect(run('ls')).toBe('4200 main.cjs da39');
  });

  it('keeps nothing of a start with other options of V8, which no usual start could use', async () => {
    const { folder, kept } = await makeProgram();
    const env = { ...process.env, NODE_OPTIONS: '--stack-trace-limit=5' };
    execFileSync(process.execPath, [join(folder, 'main.js'), 'ls'], { env });
    expect(kept()).toEqual([]);
  });

  it('works where nothing can be kept', async () => {
    const { folder, run } = await makeProgram();
    const blocked = join(folder, '.compiled');
    if (process.getuid?.() === 0) writeFileSync(blocked, '');
    else {
      mkdirSync(blocked);
      chmodSync(blocked, 0o500);
    }
    expect(run('ls')).toBe('42 main.cjs da39');
  });
});
