import { z } from 'zod';
import type { App } from '../../app.ts';
import { openQuestions } from '../../core/attempt/decide-question.ts';
import { labelOf } from '../../core/view/task-label.ts';
import { completeId, projectFilter, type Ref } from '../find-run.ts';
import { operation } from '../operation.ts';

/** A question that an agent asks and nobody has answered. */
export const OpenQuestion = z.object({
  run: z.string(),
  title: z.string(),
  task: z.string(),
  label: z.string(),
  question: z.string().describe('Its id.'),
  text: z.string(),
  options: z.array(z.string()),
  default: z.string().nullable(),
  deadline: z.string().nullable(),
  at: z.string(),
});
export type OpenQuestion = z.infer<typeof OpenQuestion>;

/** Lists the questions of agents that wait for an answer, the oldest first. */
export const listQuestions = operation({
  name: 'list-questions',
  where: 'anywhere',
  summary: 'List the questions of agents that wait for an answer, the oldest first',
  http: 'GET /api/questions',
  allow: ['viewer', 'operator'],
  input: z.object({ dir: z.string().optional(), run: z.string().optional() }),
  output: z.array(OpenQuestion),
  run: async (app, ref) => (await runsOf(app, ref)).flatMap((run) => questionsOf(app, run)).sort(byTime),
});

/** The named run, or every run of the project, or of all projects, in which something waits. */
async function runsOf(app: App, { run, dir }: Ref): Promise<string[]> {
  if (run !== undefined) return [completeId(app, run)];
  const project = await projectFilter(app, { dir });
  return app.overviews
    .all()
    .filter(({ projectId, attention }) => attention.length > 0 && (project === undefined || projectId === project))
    .map((overview) => overview.run);
}

function questionsOf(app: App, run: string): OpenQuestion[] {
  const state = app.runs.state(run);
  return openQuestions(state).map(({ task, question }) => ({
    run,
    title: state.start.title,
    task,
    label: labelOf(state, task),
    question: question.id,
    text: question.text,
    options: question.options ?? [],
    default: question.default ?? null,
    deadline: question.deadline === undefined ? null : new Date(question.deadline).toISOString(),
    at: new Date(question.at).toISOString(),
  }));
}

function byTime(a: OpenQuestion, b: OpenQuestion): number {
  return a.at.localeCompare(b.at);
}
