import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const COPIED = ['src', 'scripts', 'bin', 'test/contracts', 'tsconfig.json', 'package.json'];
const REGISTRY = 'src/agents/registry.ts';
const KINDS = 'src/schema/config/agent.ts';
/** It compiles all sources and starts a run of tests of its own. */
const TIMEOUT = { timeout: 240_000 };
const PAGE = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
const BLOCKS = [...PAGE.matchAll(/^```ts\n\/\/ (\S+)\n([\s\S]*?)^```$/gm)].map(([, path = '', text = '']) => ({
  path,
  text,
}));

it('the agent that CONTRIBUTING.md shows satisfies the contract, and the command works', TIMEOUT, async () => {
  const copy = copyOfSources();
  const agent = BLOCKS.filter(({ path }) => path.includes('agents/'));
  expect(agent.map(({ path }) => path)).toEqual([
    'src/agents/coder/coder.ts',
    REGISTRY,
    'test/agents/coder/coder.test.ts',
  ]);
  for (const { path, text } of agent) {
    if (path === REGISTRY) edit(join(copy, path), (before) => register(before, text));
    else write(join(copy, path), text);
  }
  expect(PAGE).toContain(`\`AgentKind\` (\`${KINDS}\`)`);
  edit(join(copy, KINDS), (before) => before.replace('AgentKind = z.enum([', "AgentKind = z.enum(['coder', "));
  const report = join(copy, 'report.json');
  const reporting = ['--reporter=json', `--outputFile=${report}`];
  const output = await run(copy, ['node_modules/vitest/vitest.mjs', 'run', ...reporting, 'test/agents']);
  const { success, numPassedTests } = JSON.parse(readFileSync(report, 'utf8'));
  expect({ success, numPassedTests }, output).toEqual({ success: true, numPassedTests: 10 });

  const added = BLOCKS.filter(({ path }) => !path.includes('agents/'));
  expect(added.map(({ path }) => path)).toEqual([
    'src/operations/runs/count-runs.ts',
    'src/cli/commands/watch/count.ts',
  ]);
  for (const { path, text } of added) write(join(copy, path), text);
  await run(copy, ['scripts/generate.mjs']);
  const compiled = await run(copy, ['node_modules/typescript/bin/tsc', '--noEmit']);
  expect(compiled.split('\n').filter((line) => /^src\/|coder/.test(line))).toEqual([]);
  const project = join(copy, 'project');
  await promisify(execFile)('git', ['init', '-q', project]);
  const identity = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org'];
  await promisify(execFile)('git', ['-C', project, ...identity, 'commit', '-q', '--allow-empty', '-m', 'Start']);
  const answer = await run(copy, ['src/main.ts', 'count', '--json', '-C', project], {
    MANYHANDS_HOME: join(copy, 'home'),
  });
  expect(JSON.parse(answer)).toEqual({ count: 0 });
});

function copyOfSources(): string {
  const copy = mkdtempSync(join(tmpdir(), 'mh-contributing-'));
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
  for (const path of COPIED) cpSync(join(ROOT, path), join(copy, path), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** As the page says: a line in the list, below its import. */
function register(registry: string, block: string): string {
  const [imported = '', line = ''] = block.split('\n');
  const list = /^const KINDS: .* = \{\n/m;
  expect(registry).toMatch(list);
  return `${imported}\n${registry.replace(list, (head) => `${head}${line}\n`)}`;
}

function edit(file: string, change: (text: string) => string): void {
  const before = readFileSync(file, 'utf8');
  const after = change(before);
  expect(after, file).not.toBe(before);
  writeFileSync(file, after);
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** What it printed, whether it was content or not. */
async function run(cwd: string, command: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const options = { cwd, maxBuffer: 10_000_000, env: { PATH: process.env.PATH ?? '', ...env } };
  const ended = await promisify(execFile)(process.execPath, command, options).catch((error) => error);
  return String(ended.stdout);
}
