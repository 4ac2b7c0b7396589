import { costOf } from '../../agents/prices.ts';
import type { BenchPort } from '../../app/port-interfaces.ts';
import { BENCH_TASKS, unsupported } from '../../bench/registry.ts';
import { createBenchRepository } from '../../bench/repository.ts';
import type { Engine } from '../../engine/loop/engine.ts';
import { type StartedRun, startRun } from '../../engine/start/start-run.ts';
import type { BenchKind } from '../../schema/model.ts';
import { StartRequest } from '../../schema/request.ts';

/** The tasks of the benchmark as operations see them. */
export const benchPort: BenchPort = {
  title: (kind) => BENCH_TASKS[kind].title,
  unsupported,
  estimate: (kind, model) => {
    const { input, output } = BENCH_TASKS[kind].tokens;
    return model === null ? undefined : costOf(model, { inputTokens: input, cachedTokens: 0, outputTokens: output });
  },
  most: (kind) => BENCH_TASKS[kind].mostUsd,
};

type BenchAsked = { kind: BenchKind; agent: string; dir: string; settings: string; most: number };

/** Starts a benchmark as an ordinary job in its own repository: one attempt, judged by its check. */
export async function startBench(
  engine: Engine,
  { kind, agent, dir, settings, most }: BenchAsked,
): Promise<StartedRun> {
  const task = BENCH_TASKS[kind];
  const { repository, check } = await createBenchRepository(engine.home.bench, task);
  const request = StartRequest.parse({
    recipe: 'job',
    input: { task: task.prompt, retry: 'none' },
    options: { dir: repository, agents: [agent], budget: most, land: 'branch', title: `Benchmark ${kind}: ${agent}` },
  });
  return startRun(engine, request, { bench: { kind, settings, dir, check: [process.execPath, check] } });
}
