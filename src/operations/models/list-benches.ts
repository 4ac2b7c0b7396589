import { z } from 'zod';
import { readHistory } from '../../engine/start/model-history.ts';
import { BenchResult } from '../../schema/model.ts';
import { operation } from '../operation.ts';

/** Lists the results of benchmarks. */
export const listBenches = operation({
  name: 'list-benches',
  where: 'anywhere',
  summary: 'List the results of benchmarks, the newest last',
  http: 'GET /api/benches',
  allow: ['viewer', 'operator'],
  input: z.object({ runs: z.array(z.string()).optional() }),
  output: z.array(BenchResult),
  run: async (app, { runs }) => {
    const { benches } = readHistory(app);
    return benches.filter(({ run }) => runs === undefined || runs.includes(run)).map(({ at: _, ...result }) => result);
  },
});
