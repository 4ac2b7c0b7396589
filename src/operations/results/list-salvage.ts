import { z } from 'zod';
import type { App } from '../../app.ts';
import { redactForms } from '../../core/redact.ts';
import { taskLabel } from '../../core/view/task-label.ts';
import type { Mirror } from '../../git/mirror/mirror.ts';
import { readGraph } from '../../git/read/commit-graph.ts';
import { TaskLabel } from '../../schema/document.ts';
import { findProject, findRun, RunRef } from '../find-run.ts';
import { operation } from '../operation.ts';
import { mirrorOf, SAVED_REF, savedWork } from './project-mirror.ts';

/** Work of an attempt that was saved. */
export const SalvageItem = z.object({
  ref: z.string(),
  run: z.string(),
  task: z.string(),
  label: TaskLabel,
  attempt: z.number().int(),
  commit: z.string(),
  at: z.string(),
  landed: z.boolean(),
  files: z.number().int(),
  detail: z.string(),
});
export type SalvageItem = z.infer<typeof SalvageItem>;

/** Lists all work that was ever saved for the project, newest first. */
export const listSalvage = operation({
  name: 'list-salvage',
  where: 'anywhere',
  summary: 'List all work that was ever saved',
  http: 'GET /api/salvage',
  allow: ['viewer', 'operator'],
  input: z.object(RunRef),
  output: z.array(SalvageItem),
  run: async (app, ref) => {
    const selected = ref.run === undefined ? undefined : (await findRun(app, ref)).start;
    const project = selected?.project ?? (await findProject(app, ref));
    const mirror = await mirrorOf(app, project);
    const byRun = Map.groupBy(await savedWork(app, project), ({ ref: name }) => SAVED_REF.exec(name)?.[1] ?? '');
    const items: SalvageItem[] = [];
    for (const [run, all] of byRun) {
      if (run === '' || (selected !== undefined && run !== selected.run)) continue;
      const isLanded = await landedCommits(app, mirror, run);
      for (const saved of all) {
        const [, , ordinal, attempt] = SAVED_REF.exec(saved.ref) ?? [];
        if (isEmpty(app, run, saved.ref)) continue;
        const about = describe(app, run, Number(ordinal));
        items.push({
          ...saved,
          ref: redactForms(saved.ref),
          run,
          attempt: Number(attempt),
          ...about,
          landed: isLanded(saved.commit),
        });
      }
    }
    return items.sort((a, b) => (a.at < b.at ? 1 : -1));
  },
});

function describe(app: App, run: string, ordinal: number): Pick<SalvageItem, 'task' | 'label' | 'detail'> {
  const state = app.runs.ids().includes(run) ? app.runs.state(run) : undefined;
  const key = state?.order[ordinal - 1];
  const task = key === undefined ? undefined : state?.tasks[key];
  if (state === undefined || task === undefined) return { task: '?', detail: 'of a run that is not in the database' };
  return { task: task.spec.key, label: taskLabel(task.spec), detail: task.spec.title };
}

/** An attempt without changes has nothing to restore. */
function isEmpty(app: App, run: string, ref: string): boolean {
  if (!app.runs.ids().includes(run)) return false;
  const attempts = Object.values(app.runs.state(run).tasks).flatMap((task) => task.attempts);
  return attempts.some(({ ended }) => ended?.saved?.ref === ref && !ended.saved.changed);
}

/** Which commits the run added to its branch: of several attempts of a task, some landed and others did not. */
async function landedCommits(app: App, mirror: Mirror, run: string): Promise<(commit: string) => boolean> {
  if (!app.runs.ids().includes(run)) return () => false;
  const { tip, start } = app.runs.state(run);
  const added = await readGraph({ gitDir: mirror.dir, tips: [tip.commit], without: [start.base.commit] });
  return (commit) => added?.has(commit) === true;
}
