import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { lastAttempt, type TaskState } from '../../core/run/state.ts';
import { AppError, errorCode, messageOf } from '../../errors.ts';
import { isThere } from '../../git/path-kind.ts';
import { readRef } from '../../git/refs/mirror-refs.ts';
import { saveWorkspace } from '../../git/save/save.ts';
import { layOutConflict } from '../../git/workspace/lay-out-conflict.ts';
import { checkWorkspace, createWorkspace, removeWorkspace } from '../../git/workspace/workspace.ts';
import type { SavedWork } from '../../schema/event.ts';
import { attemptId } from '../../schema/ids.ts';
import { seedForCommit } from '../../workspaces/checkout.ts';
import { childEnvironment } from '../../workspaces/environment.ts';
import { provision, teardown } from '../../workspaces/provision.ts';
import { type ActiveRun, type EngineContext, lfsOf } from '../loop/context.ts';
import { OWN_GENERATIONS } from './own-rows.ts';

/** Where a task works, and what in there is ours and never committed; no list means: it was never made ready. */
export type Place = { path: string; branch: string; excluded: readonly string[] | undefined };

/** A task's place as it stands on disk; the list of what is ours in it is kept beside it, out of the agent's reach. */
export async function placeOf(ctx: EngineContext, run: ActiveRun, task: TaskState): Promise<Place> {
  const owner = task.spec.workspace === undefined ? task : (run.ledger.state.tasks[task.spec.workspace] ?? task);
  const path = join(ctx.home.workspaces, `${run.id}-${owner.ordinal}`);
  return { path, branch: `task-${owner.ordinal}`, excluded: await readExcluded(path) };
}

/** The workspace for the attempt that was just claimed: a fresh one, or the kept one if it stands as it was recorded. */
export async function prepareAttemptWorkspace(
  ctx: EngineContext,
  run: ActiveRun,
  task: TaskState,
  signal: AbortSignal,
): Promise<Place> {
  const place = await placeOf(ctx, run, task);
  const before = task.attempts.at(-2);
  if (place.excluded !== undefined && (await isThere(place.path))) {
    const kept = await rescue(ctx, run, task, place);
    if (before?.ended?.saved != null && kept.tree !== before.ended.saved.tree) {
      throw new AppError(
        'WORKSPACE_CHANGED',
        `Workspace ${place.path} was changed after attempt ${before.number}; that state is saved as ${kept.ref}`,
      );
    }
    if (task.from === null && (await checkWorkspace(place.path, { branch: place.branch, head: kept.head })).ok) {
      return place;
    }
  }
  await removeWorkspace({ mirror: run.project.mirror, path: place.path });
  await rm(excludedFile(place.path), { force: true });
  const lastSaved = task.attempts.slice(0, -1).findLast((attempt) => attempt.ended?.saved != null)?.ended
    ?.saved?.commit;
  const commit = await layOut(run, task, place, lastSaved);
  return { ...place, excluded: await ready(ctx, run, { place, commit }, signal) };
}

/** Saves all that stands in a workspace under a new ref, or throws, so that nobody removes it; the workspace itself is left as it is. */
export async function saveAttemptWorkspace(
  run: ActiveRun,
  task: TaskState,
  place: Place,
  options: { number: number; save: number },
): Promise<SavedWork> {
  const attempt = task.attempts[options.number - 1] ?? lastAttempt(task);
  const ref = saveRef(run, task, options);
  const { git } = run.ledger.state.start.config;
  const trailers = [...git.trailers, `Manyhands-Run: ${run.id}`, `Manyhands-Task: ${task.spec.key}`];
  const saved = await saveWorkspace({
    mirror: run.project.mirror,
    path: place.path,
    ref,
    base: attempt?.base ?? run.ledger.state.start.base.commit,
    message: `${task.spec.title}\n\n${trailers.join('\n')}\n`,
    exclude: place.excluded ?? [],
    author: { name: git.author, email: git.email },
    ...mergeParents(run, task),
  });
  if (saved.problems.length > 0) {
    throw new AppError('WORK_UNSAVED', `${saved.problems.join('; ')} (the rest is saved as ${ref})`, {
      path: place.path,
      ref,
    });
  }
  return { ref, commit: saved.commit, tree: saved.tree, head: saved.head, changed: saved.changed };
}

/** The number of an attempt's next save: one whose record a crash has lost keeps its ref. */
export async function nextSave(run: ActiveRun, task: TaskState, number: number): Promise<number> {
  let save = 1;
  while ((await readRef(run.project.mirror, saveRef(run, task, { number, save }))) !== undefined) save += 1;
  return save;
}

function saveRef(run: ActiveRun, task: TaskState, { number, save }: { number: number; save: number }): string {
  return `refs/manyhands/attempts/${attemptId(run.id, task.ordinal, number)}/${save}`;
}

/** Removes a task's workspace once its work is on record; teardown commands run first. */
export async function removeAttemptWorkspace(ctx: EngineContext, run: ActiveRun, task: TaskState): Promise<void> {
  const place = await placeOf(ctx, run, task);
  if (!(await isThere(place.path))) return;
  await tearDown(ctx, run, task, place);
  await removeWorkspace({ mirror: run.project.mirror, path: place.path });
  await rm(excludedFile(place.path), { force: true });
}

/** A teardown that fails is told, and does not keep the workspace. */
async function tearDown(ctx: EngineContext, run: ActiveRun, task: TaskState, place: Place): Promise<void> {
  const { workspace: config } = run.ledger.state.start.config;
  if (config.teardown.length === 0 || place.excluded === undefined) return;
  try {
    await teardown({
      home: ctx.home.root,
      workspace: place.path,
      config,
      env: childEnvironment(ctx.env),
      signal: ctx.stopping,
    });
  } catch (error) {
    const attempt = attemptId(run.id, task.ordinal, Math.max(1, task.attempts.length));
    const row = {
      attempt,
      file: 'engine' as const,
      generation: OWN_GENERATIONS.teardown,
      offset: 0,
      at: ctx.world.now(),
      kind: 'warning',
      text: `Teardown failed: ${messageOf(error)}`,
    };
    await ctx.store.ingest({ attempt, rows: [row], cursors: [] });
  }
}

async function layOut(run: ActiveRun, task: TaskState, place: Place, lastSaved: string | undefined): Promise<string> {
  const { mirror } = run.project;
  const base = lastAttempt(task)?.base ?? run.ledger.state.tip.commit;
  const conflict = conflictOf(run, task);
  if (conflict !== undefined && task.from === null) {
    await createWorkspace({ mirror, path: place.path, commit: conflict.onto, branch: place.branch, ...ownership(run) });
    await layOutConflict({ mirror, path: place.path, onto: conflict.onto, theirs: conflict.commit });
    return conflict.onto;
  }
  const commit = task.from?.commit ?? lastSaved ?? base;
  await createWorkspace({ mirror, path: place.path, commit, branch: place.branch, ...ownership(run) });
  return commit;
}

async function ready(
  ctx: EngineContext,
  run: ActiveRun,
  { place, commit }: { place: Place; commit: string },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { start } = run.ledger.state;
  const common = {
    home: ctx.home.root,
    root: start.project.root,
    config: start.config.workspace,
    env: childEnvironment(ctx.env),
    signal,
  };
  const seed = await seedForCommit({
    ...common,
    mirror: run.project.mirror,
    project: run.project.id,
    commit,
    ...lfsOf(run.project),
  });
  const { excluded } = await provision({ ...common, workspace: place.path, seed });
  const file = excludedFile(place.path);
  await writeFile(`${file}.new`, JSON.stringify(excluded), { mode: 0o600 });
  await rename(`${file}.new`, file);
  return excluded;
}

function excludedFile(path: string): string {
  return `${path}.excluded`;
}

async function readExcluded(path: string): Promise<readonly string[] | undefined> {
  try {
    return z.array(z.string()).parse(JSON.parse(await readFile(excludedFile(path), 'utf8')));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function rescue(ctx: EngineContext, run: ActiveRun, task: TaskState, place: Place): Promise<SavedWork> {
  const number = Math.max(1, task.attempts.length - 1);
  return saveAttemptWorkspace(run, task, place, { number, save: ctx.world.now() });
}

/** For a resolver at work on a conflict that was laid out: both sides are the parents of what it makes. */
function mergeParents(run: ActiveRun, task: TaskState): { parents?: string[] } {
  const conflict = conflictOf(run, task);
  return conflict === undefined || task.from !== null ? {} : { parents: [conflict.onto, conflict.commit] };
}

function conflictOf(run: ActiveRun, task: TaskState): { onto: string; commit: string } | undefined {
  const resolved = task.spec.resolves === undefined ? undefined : run.ledger.state.tasks[task.spec.resolves];
  return resolved?.phase.status === 'conflicted'
    ? { onto: resolved.phase.onto, commit: resolved.phase.commit }
    : undefined;
}

/** Who commits in a workspace, and where large files come from. */
function ownership(run: ActiveRun): { identity: { name: string; email: string }; lfsStorage?: string } {
  const { author, email } = run.ledger.state.start.config.git;
  return { identity: { name: author, email }, ...lfsOf(run.project) };
}
