import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { globMatcher } from '../core/policy/path-glob.ts';
import { listFiles } from '../git/read/list-files.ts';
import { readBlobs } from '../git/read/read-blobs.ts';
import { timeLimit } from '../process/time-limit.ts';
import type { GateSpec, Verdict } from '../schema/gate.ts';
import { realWorld, type World } from '../world.ts';
import { type AttemptWork, type Gate, noWork } from './gate.ts';
import { shownPath } from './shown-path.ts';

/** What became of each expression: found, missing, no expression at all, or not decided in the time. */
type Found = 'found' | 'missing' | 'invalid' | 'too-long';

type Search = { patterns: readonly string[]; texts: readonly string[]; timeoutMs: number };

/** Flags that other languages write at the beginning of the expression. */
const LEADING_FLAGS = /^\(\?([imsu]+)\)/;

const SEARCHER = `
const { parentPort, workerData } = require('node:worker_threads');
for (const { source, flags } of workerData.patterns) {
  let answer = 'missing';
  try {
    const pattern = new RegExp(source, flags);
    if (workerData.texts.some((text) => pattern.test(text))) answer = 'found';
  } catch {
    answer = 'invalid';
  }
  parentPort.postMessage(answer);
}
`;

const Answer = z.enum(['found', 'missing', 'invalid']);

type PatternsSpec = Extract<GateSpec, { gate: 'patterns' }>;

const MAX_BYTES = 8_000_000;
const TIMEOUT_MS = 3_000;
const REASONS: Readonly<Record<Exclude<Found, 'found'>, string>> = {
  missing: 'is not found',
  invalid: 'is no regular expression',
  'too-long': 'took too long to look for',
};

/** Passes when each expression is found in at least one of the files as they are in the saved work. */
export const patternsGate: Gate<PatternsSpec> = {
  name: 'patterns',
  async check(spec, input) {
    input.signal.throwIfAborted();
    if (input.work === undefined) return noWork();
    const startedAt = realWorld.now();
    const texts = await textsOf(input.work, spec.files, input.signal);
    const search = { patterns: spec.require, texts, timeoutMs: TIMEOUT_MS };
    const answers =
      texts.length === 0 ? spec.require.map(() => 'missing' as const) : await boundedSearch(search, input.signal);
    const problems = answers.flatMap((answer, index) =>
      answer === 'found' ? [] : [`${shownPath(spec.require[index] ?? '')} ${REASONS[answer]}`],
    );
    const where = spec.files.slice(0, 5).map(shownPath).join(', ');
    return {
      verdict: verdictOf(answers),
      summary:
        problems.length === 0 ? `All ${answers.length} patterns are found in ${where}` : `${problems[0]} in ${where}`,
      exitCode: null,
      setup: '',
      durationMs: Math.max(0, realWorld.now() - startedAt),
      ...(problems.length === 0 ? {} : { output: problems.join('\n') }),
    };
  },
};

/** What is no fault of the work is no failure of it. */
function verdictOf(answers: readonly Found[]): Verdict {
  if (answers.includes('missing')) return 'fail';
  return answers.every((answer) => answer === 'found') ? 'pass' : 'error';
}

async function textsOf(
  { mirror, commit }: AttemptWork,
  globs: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  const matches = globMatcher(globs, 'exact');
  const files = (await listFiles(mirror, commit, signal)).filter(({ path }) => matches(path));
  const texts: string[] = [];
  for await (const content of readBlobs(mirror, { oids: files.map(({ oid }) => oid), maxBytes: MAX_BYTES }, signal))
    if (content !== undefined) texts.push(content.toString('utf8'));
  return texts;
}

/** Looks for expressions in texts on a thread of its own, which is ended at the time limit: none can keep the engine busy. */
async function boundedSearch(search: Search, signal: AbortSignal, world: World = realWorld): Promise<Found[]> {
  signal.throwIfAborted();
  const answers: Found[] = [];
  const patterns = search.patterns.map(expressionOf);
  using limit = timeLimit(search.timeoutMs, world);
  const worker = new Worker(SEARCHER, {
    eval: true,
    workerData: { patterns, texts: search.texts },
    env: {},
    execArgv: [],
  });
  const stop = () => void worker.terminate();
  const stopping = AbortSignal.any([limit.signal, signal]);
  stopping.addEventListener('abort', stop, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      worker.on('message', (answer: unknown) => answers.push(Answer.parse(answer)));
      worker.once('error', reject);
      worker.once('exit', () => resolve());
    });
  } finally {
    stopping.removeEventListener('abort', stop);
  }
  signal.throwIfAborted();
  return search.patterns.map((_, index) => answers[index] ?? 'too-long');
}

function expressionOf(pattern: string): { source: string; flags: string } {
  const [leading = '', flags = ''] = LEADING_FLAGS.exec(pattern) ?? [];
  return { source: pattern.slice(leading.length), flags: [...new Set(`m${flags}`)].join('') };
}
