import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { timeLimit } from '../process/time-limit.ts';
import { realWorld, type World } from '../world.ts';

/** What became of each expression: found, missing, no expression at all, or not decided in the time. */
export type Found = 'found' | 'missing' | 'invalid' | 'too-long';

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

/** Looks for expressions in texts on a thread of its own, which is ended at the time limit: none can keep the engine busy. */
export async function boundedSearch(search: Search, signal: AbortSignal, world: World = realWorld): Promise<Found[]> {
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
