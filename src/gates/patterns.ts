import { listFiles } from '../git/read/list-files.ts';
import { readBlobs } from '../git/read/read-blobs.ts';
import type { GateSpec, Verdict } from '../schema/gate.ts';
import { realWorld } from '../world.ts';
import { boundedSearch, type Found } from './bounded-search.ts';
import type { AttemptWork, Gate } from './gate.ts';
import { noWork, shownPath } from './inspection.ts';
import { globMatcher } from './scope/scope-matcher.ts';

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
