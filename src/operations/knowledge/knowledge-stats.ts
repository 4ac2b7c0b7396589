import { z } from 'zod';
import type { App } from '../../app.ts';
import { knowledgeStream } from '../../schema/coordination/knowledge.ts';
import { attemptId } from '../../schema/ids.ts';
import { projectOf } from '../find-run.ts';
import { operation } from '../operation.ts';
import { findEntries } from './find-entries.ts';

const Outcomes = z.object({ attempts: z.number().int(), succeeded: z.number().int() });
/** How attempts ended that received an entry, and those that received none. */
export const KnowledgeStats = z.object({
  entries: z.array(Outcomes.extend({ id: z.string(), title: z.string() })),
  without: Outcomes.describe('Attempts of the same runs that received no entry.'),
});
export type KnowledgeStats = z.infer<typeof KnowledgeStats>;

/** Reports whether attempts that received an entry did better. */
export const knowledgeStats = operation({
  name: 'knowledge-stats',
  where: 'anywhere',
  summary: 'Compare attempts that received an entry of the knowledge with those that received none',
  http: 'GET /api/knowledge/stats',
  allow: ['viewer', 'operator'],
  input: z.object({ dir: z.string() }),
  output: KnowledgeStats,
  run: async (app, { dir }) => {
    const project = await projectOf(app, dir);
    const { given } = await app.knowledge.current(knowledgeStream('project', project.id));
    const outcomes = outcomesOf(app, new Set(given.map(({ run }) => run)));
    const received = new Set(given.map(({ attempt }) => attempt));
    const count = (attempts: readonly string[]) => ({
      attempts: attempts.filter((attempt) => outcomes.has(attempt)).length,
      succeeded: attempts.filter((attempt) => outcomes.get(attempt) === true).length,
    });
    const entries = (await findEntries(app, { project: project.id })).map(({ id, title }) => {
      const attempts = given.filter((each) => each.entries.includes(id)).map(({ attempt }) => attempt);
      return { id, title, ...count(attempts) };
    });
    return {
      entries: entries.filter(({ attempts }) => attempts > 0).sort((a, b) => b.attempts - a.attempts),
      without: count([...outcomes.keys()].filter((attempt) => !received.has(attempt))),
    };
  },
});

/** Whether each ended attempt of these runs succeeded. */
function outcomesOf(app: App, runs: ReadonlySet<string>): Map<string, boolean> {
  const known = new Set(app.runs.ids());
  const outcomes = new Map<string, boolean>();
  for (const run of [...runs].filter((id) => known.has(id)))
    for (const { ordinal, attempts } of Object.values(app.runs.state(run).tasks))
      for (const { number, ended } of attempts)
        if (ended !== null)
          outcomes.set(attemptId(run, ordinal, number), ended.failure === null || ended.failure === undefined);
  return outcomes;
}
