import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RunDocument } from '../../src/schema/document.ts';
import { type Finished, makeScratch, type Scratch } from '../support/scratch.ts';

/** What a command on a run said: how it ended, and the run as it told it. */
export type RunResult = Finished & { run: RunDocument };

const FIXTURES = fileURLToPath(new URL('../fixtures/hostile/', import.meta.url));

/** A little project whose one test is red, because of a bug in its source. */
export const SHOP: Record<string, string> = {
  'README.md': '# Sums\n',
  '.gitignore': 'node_modules/\n',
  'package.json': '{\n  "name": "sums",\n  "type": "module",\n  "scripts": { "test": "node --test" }\n}\n',
  'check.sh': "grep -q 'a + b' sum.js\n",
  'sum.js': 'export const add = (a, b) => a - b;\n',
  'test/sum.test.js': [
    "import assert from 'node:assert';",
    "import test from 'node:test';",
    "import { add } from '../sum.js';",
    "test('adds', () => assert.equal(add(1, 2), 3));",
    '',
  ].join('\n'),
};

/** A check that takes no time, which only the mended source passes. */
const QUICK_CHECK = 'sh check.sh';

/** The project with settings of its own, which are YAML below `limits:`, and files besides. */
export function makeShop(
  options: { check?: string; limits?: string; files?: Record<string, string> } = {},
): Promise<Scratch> {
  const { check = QUICK_CHECK, limits = 'attempts: 1', files = {} } = options;
  const settings = `checks:\n  - ${JSON.stringify(check)}\nlimits: { retryDelaySeconds: 0, ${limits} }\n`;
  return makeScratch({ files: { ...SHOP, '.manyhands/config.yaml': settings, ...files } });
}

/** The --agent that names a program of test/fixtures/hostile, with its words. */
export function agent(program: string, ...words: string[]): string {
  return `command:${[join(FIXTURES, program), ...words].map((text) => `'${text}'`).join(' ')}`;
}

/** Gives a job to such an agent and waits until nothing more happens. */
export function job(scratch: Scratch, who: string, ...options: string[]): Promise<RunResult> {
  return runAndReport(scratch, 'job', 'Make the check green', '--agent', who, ...options);
}

/** Runs a command that ends with a run's document. */
export async function runAndReport(scratch: Scratch, ...args: string[]): Promise<RunResult> {
  const finished = await scratch.mh([...args, '--json']);
  const run = RunDocument.safeParse(finished.json);
  if (run.success) return { ...finished, run: run.data };
  throw new Error(
    `manyhands ${args.join(' ')} ended with ${finished.code} and no document\n${finished.stdout}\n${finished.stderr}`,
  );
}

/** The characters of a text by which it could steer a terminal: all control characters but tab and newline. */
export function steering(text: string): string[] {
  return text.match(/(?![\t\n])\p{Cc}/gu) ?? [];
}

/** Git in the mirror. */
export function inMirror(scratch: Scratch, ...args: string[]): string {
  return execFileSync('git', ['--git-dir', mirrorOf(scratch), ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
}

/** The private mirror of the scratch project. */
function mirrorOf(scratch: Scratch): string {
  const [only = ''] = readdirSync(join(scratch.home, 'mirrors'));
  return join(scratch.home, 'mirrors', only);
}

/** Names of saved files, in whatever saved commit, that hold this text. */
export function savedFiles(scratch: Scratch, text: string): string[] {
  const commits = inMirror(scratch, 'for-each-ref', '--format=%(objectname)', 'refs/manyhands/attempts').split('\n');
  const all = inMirror(scratch, 'rev-list', '--no-walk', ...new Set(commits)).split('\n');
  const past = inMirror(scratch, 'rev-list', ...all).split('\n');
  return [...new Set(past)].flatMap((commit) => filesWith(scratch, commit, text));
}

function filesWith(scratch: Scratch, commit: string, text: string): string[] {
  try {
    const found = inMirror(scratch, 'grep', '-z', '-l', '-F', '-e', text, commit, '--');
    return found
      .split('\0')
      .filter(Boolean)
      .map((line) => line.slice(commit.length + 1));
  } catch {
    // Grep found nothing in this one.
    return [];
  }
}
