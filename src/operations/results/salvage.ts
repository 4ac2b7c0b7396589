import type { Ports } from '../../app/port-interfaces.ts';
import type { RunState } from '../../core/run/state.ts';
import { AppError } from '../../errors.ts';
import type { SalvageItem } from '../contracts/salvage-contracts.ts';
import { findProject, findRun, type Ref } from '../find-run.ts';
import type { Operation } from '../operation.ts';

const SAVED = /^refs\/manyhands\/attempts\/([0-9a-z]{8})-(\d+)-(\d+)\//;

/** Lists all work that was ever saved for the project, newest first. */
export const listSalvage: Operation<'list-salvage'> = async (ports, input) => {
  const meant = input.run === undefined ? undefined : (await findRun(ports, input)).start;
  const only = meant?.run;
  const project = meant?.project ?? (await findProject(ports, input));
  const items: SalvageItem[] = [];
  for (const saved of await ports.work.saved(project)) {
    const [, run, ordinal, attempt] = SAVED.exec(saved.ref) ?? [];
    if (run === undefined || (only !== undefined && run !== only)) continue;
    if (isEmpty(ports, run, saved.ref)) continue;
    items.push({ ...saved, run, attempt: Number(attempt), ...describe(ports, run, Number(ordinal)) });
  }
  return items.sort((a, b) => (a.at < b.at ? 1 : -1));
};

/** Puts saved work on a branch of the user's repository; a branch that is there is never touched. */
export const restoreSalvage: Operation<'restore-salvage'> = async (ports, input) => {
  const project = await projectOf(ports, input);
  const saved = (await ports.work.saved(project)).filter(
    (item) => item.ref === input.ref || item.commit.startsWith(input.ref),
  );
  const [only, second] = [...new Map(saved.map((item) => [item.commit, item])).values()];
  if (only === undefined || (second !== undefined && input.ref.length < 7)) {
    throw new AppError(
      'INPUT_INVALID',
      `${input.ref} names no single piece of saved work; list it with manyhands salvage`,
      { ref: input.ref },
    );
  }
  const [, run, ordinal, attempt] = SAVED.exec(only.ref) ?? [];
  const branch = input.branch ?? `mh-tasks/${run ?? 'saved'}/${ordinal ?? only.commit.slice(0, 10)}-${attempt ?? 1}`;
  return ports.work.restore(project, only.ref, { branch, to: input.to });
};

/** A ref tells of which run it is, and so of which project; a commit does not, and the folder says it. */
async function projectOf(
  ports: Ports,
  { ref, ...where }: Ref & { ref: string },
): Promise<{ id: string; root: string }> {
  const named = SAVED.exec(ref)?.[1];
  const run = where.run ?? (named !== undefined && ports.runs.ids().includes(named) ? named : undefined);
  return run === undefined ? findProject(ports, where) : (await findRun(ports, { run })).start.project;
}

function describe(ports: Ports, run: string, ordinal: number): Pick<SalvageItem, 'task' | 'landed' | 'detail'> {
  const state = ports.runs.ids().includes(run) ? ports.runs.state(run) : undefined;
  const key = state?.order[ordinal - 1];
  const task = key === undefined ? undefined : state?.tasks[key];
  if (state === undefined || task === undefined)
    return { task: '?', landed: false, detail: 'of a run that is not on record' };
  return { task: task.spec.key, landed: isLanded(state, task.spec.key), detail: task.spec.title };
}

/** An attempt that changed nothing left nothing to restore. */
function isEmpty(ports: Ports, run: string, ref: string): boolean {
  if (!ports.runs.ids().includes(run)) return false;
  const attempts = Object.values(ports.runs.state(run).tasks).flatMap((task) => task.attempts);
  return attempts.some(({ ended }) => ended?.saved?.ref === ref && !ended.saved.changed);
}

function isLanded(state: RunState, key: string): boolean {
  const phase = state.tasks[key]?.phase;
  return phase?.status === 'done' && phase.commit !== null;
}
