import { z } from 'zod';
import { BENCH_TASKS } from '../../bench/registry.ts';
import { createBenchRepository } from '../../bench/repository.ts';
import { AppError } from '../../errors.ts';
import { BenchItem } from '../../schema/model.ts';
import { StartRequest } from '../../schema/request.ts';
import { requireControl } from '../find-run.ts';
import { operation } from '../operation.ts';
import { BenchRequest, planBenches } from './plan-bench.ts';

/** Starts one ordinary job for each task that can be measured: in its own repository, one attempt, judged by its check. */
export const startBench = operation({
  name: 'start-bench',
  where: 'engine',
  summary: 'Start the runs of a benchmark',
  http: 'POST /api/benches',
  allow: ['operator'],
  input: BenchRequest,
  output: z.array(BenchItem),
  run: async (app, request, { origin }) => {
    const control = requireControl(app);
    const { items, settings } = await planBenches(app, request);
    if (!items.some(({ runs }) => runs)) {
      const reasons = [...new Set(items.map(({ agent, reason }) => `${agent}: ${reason}`))];
      throw new AppError('AGENT_MISSING', `None of these can run here. ${reasons.join('; ')}`, {
        reasons,
      });
    }
    const started: BenchItem[] = [];
    for (const { choice, ...item } of items) {
      if (!item.runs) {
        started.push({ ...item, run: null });
        continue;
      }
      const { kind, most } = item;
      const { repository, check } = await createBenchRepository(app.home.bench, BENCH_TASKS[kind]);
      const job = StartRequest.parse({
        recipe: 'job',
        input: { task: BENCH_TASKS[kind].prompt, retry: 'none' },
        options: {
          dir: repository,
          agents: [choice],
          budget: most,
          land: 'branch',
          title: `Benchmark ${kind}: ${choice}`,
        },
      });
      const bench = { kind, settings, dir: request.dir, check: [process.execPath, check] };
      started.push({ ...item, run: (await control.start(job, origin, { bench })).run });
    }
    return started;
  },
});
