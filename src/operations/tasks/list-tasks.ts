import { z } from 'zod';
import { boardRun } from '../../core/view/board.ts';
import { BoardRun } from '../../schema/overview.ts';
import { operation } from '../operation.ts';

/** Lists tasks of several runs by the column of the board that they belong to. */
export const listTasks = operation({
  name: 'list-tasks',
  where: 'anywhere',
  summary: 'List the tasks of runs by state: queued, running, needs you, landed, failed',
  http: 'GET /api/tasks',
  allow: ['viewer', 'operator'],
  tool: { none: 'It is for the board of the page; show_run and compact_run list the tasks of a run.' },
  input: z.object({
    runs: z.array(z.string()).max(50).describe('Ids of runs; one that was removed is left out.'),
    agent: z.string().optional().describe('Only tasks of this agent.'),
    limit: z.number().int().min(1).max(200).default(50).describe('Maximum number of tasks in a column of a run.'),
  }),
  output: z.array(BoardRun),
  otherRuns: ({ runs }) => (Array.isArray(runs) ? runs : []),
  run: async (app, { runs, ...options }) => {
    const known = new Set(app.runs.ids());
    return runs.filter((run) => known.has(run)).map((run) => boardRun(app.runs.state(run), options));
  },
});
