import { BenchKind, type ModelScore } from '../../schema/model.ts';
import type { History } from './history.ts';

/** What is scored: an agent in a role, with one model or (undefined) with whatever model it had. */
export type ScoreSubject = { role: string; agent: string; models: readonly (string | null)[] | undefined };

/** A score with the results that it is based on. */
export type Score = Pick<ModelScore, 'score' | 'results' | 'here' | 'elsewhere' | 'bench' | 'cost' | 'because'>;

/** Other projects and small benchmarks are weaker evidence for this project than its own results. */
const WEIGHT_ELSEWHERE = 0.5;
const WEIGHT_BENCH = 0.5;
/** Only the last benchmarks of a kind count: models change. */
const LAST_BENCHES = 5;

const BENCH_OF_ROLE: ReadonlyMap<string, BenchKind> = new Map<string, BenchKind>([
  ['review', 'review'],
  ['verify', 'review'],
  ['security', 'security'],
  ['plan', 'long-context'],
  ['architecture', 'long-context'],
  ['requirements', 'long-context'],
  ['research', 'long-context'],
  ['analyze', 'long-context'],
  ['multimodal', 'multimodal'],
]);

/** The roles that a kind of benchmark measures. */
export function rolesOfBench(kind: BenchKind): string[] {
  const named = [...BENCH_OF_ROLE].flatMap(([role, of]) => (of === kind ? [role] : []));
  return kind === 'code' ? ['implement', 'fix'] : named;
}

/**
 * How likely the work of an agent in a role is good, from verified results alone: those of this project in full, those
 * of others and of benchmarks by half, starting at one half. Names and claims of agents never count.
 */
export function scoreOf(history: History, scored: ScoreSubject, project: string | undefined): Score {
  const here = { good: 0, bad: 0 };
  const elsewhere = { good: 0, bad: 0 };
  let cost = 0;
  for (const run of history.runs.values()) {
    const into = run.project === project ? here : elsewhere;
    for (const outcome of run.outcomes) {
      if (outcome.role !== scored.role || !matches(scored, outcome)) continue;
      into.good += outcome.good;
      into.bad += outcome.bad;
      cost += outcome.costUsd;
    }
  }
  const bench = benchOf(history, scored);
  const good = here.good + elsewhere.good * WEIGHT_ELSEWHERE + bench.good * WEIGHT_BENCH;
  const bad = here.bad + elsewhere.bad * WEIGHT_ELSEWHERE + bench.bad * WEIGHT_BENCH;
  const score = Math.round(((1 + good) / (2 + good + bad)) * 1000) / 1000;
  const results = [here, elsewhere, bench].reduce((sum, tally) => sum + tally.good + tally.bad, 0);
  const facts = { score, results, here, elsewhere, bench, cost: Math.round(cost * 1e6) / 1e6 };
  return { ...facts, because: reasonFor(facts) };
}

function benchOf(history: History, scored: ScoreSubject): Score['bench'] {
  const kind = BENCH_OF_ROLE.get(scored.role) ?? BenchKind.enum.code;
  const decided = history.benches.filter(
    (bench) => bench.kind === kind && bench.verdict !== 'error' && matches(scored, bench),
  );
  const last = decided.slice(-LAST_BENCHES);
  const good = last.filter(({ verdict }) => verdict === 'pass').length;
  return { kind, good, bad: last.length - good };
}

function matches({ agent, models }: ScoreSubject, of: { agent: string; model: string | null }): boolean {
  return of.agent === agent && (models === undefined || models.includes(of.model));
}

function reasonFor({ results, here, elsewhere, bench }: Omit<Score, 'because'>): string {
  if (results === 0) return 'no verified results yet';
  const share = ({ good, bad }: { good: number; bad: number }) => `${good} of ${good + bad}`;
  const parts = [
    ...(here.good + here.bad === 0 ? [] : [`${share(here)} good here`]),
    ...(elsewhere.good + elsewhere.bad === 0 ? [] : [`${share(elsewhere)} in other projects`]),
    ...(bench.good + bench.bad === 0 ? [] : [`${share(bench)} ${bench.kind} benchmarks`]),
  ];
  return parts.join(', ');
}
