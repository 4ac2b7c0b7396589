import { join } from 'node:path';
import { workMessage } from '../../core/land/commit-message.ts';
import { taskOf } from '../../core/run/phase.ts';
import { lastAttempt, type TaskState } from '../../core/run/state.ts';
import { AppError, messageOf } from '../../errors.ts';
import { exists } from '../../git/path-kind.ts';
import { deleteFile, readPlainText, replaceFile } from '../../git/plain-file.ts';
import { readRef } from '../../git/refs/mirror-refs.ts';
import { saveWorkspace } from '../../git/save/save.ts';
import { layOutConflict } from '../../git/workspace/lay-out-conflict.ts';
import { checkWorkspace, createWorkspace, removeWorkspace } from '../../git/workspace/workspace.ts';
import { removeLater } from '../../process/remove-later.ts';
import type { SavedWork } from '../../schema/event.ts';
import type { TaskKey } from '../../schema/ids.ts';
import { attemptId } from '../../schema/ids.ts';
import { seedForCommit } from '../../workspaces/checkout.ts';
import { childEnvironment } from '../../workspaces/environment.ts';
import { layerWorkFolder } from '../../workspaces/layer-dependencies.ts';
import { linkWorkspace, unlinkWorkspace } from '../../workspaces/location.ts';
import { provision, teardown } from '../../workspaces/provision.ts';
import { EMPTY_SEED, type Seed } from '../../workspaces/seed.ts';
import { areLayersThere, dependenciesIn, recordLayers, showLayers } from '../../workspaces/shown-layers.ts';
import { observePreparation } from '../land/evidence.ts';
import type { RunningStep } from '../loop/activities.ts';
import { type ActiveRun, type EngineContext, lfsOf } from '../loop/context.ts';
import { ENGINE_GENERATIONS } from './attempt-output.ts';
import { canLayerDependencies, containCommands } from './containment.ts';
import {
  type AttemptWorkspace,
  conflictOf,
  differenceFromRecord,
  excludedFile,
  layersFile,
  needsDependencies,
  prepareAhead,
  startOf,
  workspaceOfTask,
} from './workspace-of-task.ts';

/** The workspace of a task as it is on disk; the list of excluded files is stored outside it, so that agents cannot change it. */
export async function attemptWorkspaceOf(
  ctx: EngineContext,
  run: ActiveRun,
  task: TaskState,
): Promise<AttemptWorkspace> {
  return workspaceOfTask(ctx, run.ledger.state, task);
}

/** The workspace for the attempt that was just claimed: a new one, or the previous one if it is unchanged since it was recorded. */
export async function prepareAttemptWorkspace(
  ctx: EngineContext,
  run: ActiveRun,
  task: TaskState,
  { signal, step }: { signal: AbortSignal; step: RunningStep },
): Promise<AttemptWorkspace> {
  const workspace = await attemptWorkspaceOf(ctx, run, task);
  let accepted: SavedWork | undefined;
  if (workspace.excluded !== undefined && (await exists(workspace.path))) {
    const saved = await saveLeftWork(ctx, run, task, workspace);
    const difference = differenceFromRecord(task, saved);
    if (difference !== undefined && task.changes === undefined)
      throw new AppError(
        'WORKSPACE_CHANGED',
        `Workspace ${workspace.path} was changed by another user or process: ${difference}; that state is saved as ${saved.ref}`,
        { workspace: workspace.path },
      );
    if (difference === undefined || task.changes === 'keep') accepted = saved;
    const expected = { branch: workspace.branch, head: saved.head };
    const isUsable = async () =>
      canServe(task, workspace) &&
      (await checkWorkspace(workspace.path, expected)).ok &&
      (await areLayersThere(workspace.path, () => canLayerDependencies(ctx, run)));
    if (accepted !== undefined && task.from === null && (await isUsable())) return workspace;
  }
  await removeWithRecords(ctx, run, workspace.path);
  await linkWorkspace(ctx.home.workspaces, workspace.path);
  const lastSaved = task.attempts.slice(0, -1).findLast((attempt) => attempt.ended?.saved != null)?.ended?.saved;
  const continued = task.changes === 'keep' ? (accepted ?? lastSaved) : lastSaved;
  const commit = startOf(run, task, continued?.commit);
  const preparation = await preparationOf(ctx, run, { task, step, signal });
  // Neither needs the other; both have ended before an error is reported.
  const [created, found] = await Promise.allSettled([
    createForTask(run, task, workspace, commit),
    seedForTask(run, task, { ...preparation, commit }),
  ]);
  if (created.status === 'rejected') throw created.reason;
  prepareAhead(ctx, run, { path: workspace.path, commit });
  if (found.status === 'rejected') throw found.reason;
  const excluded = await provisionWorkspace(ctx, run, { task, workspace, preparation, seed: found.value });
  return { ...workspace, excluded };
}

/** Whether an application can run in a workspace beside its agent: two overlays cannot share one folder. */
function canServe({ spec }: TaskState, { path }: AttemptWorkspace): boolean {
  return spec.serve === undefined || dependenciesIn(path) === undefined;
}

/** Saves everything in a workspace under a new ref, or throws, so that it is not removed; the workspace itself is not changed. */
export async function saveAttemptWorkspace(
  run: ActiveRun,
  task: TaskState,
  workspace: AttemptWorkspace,
  options: { number: number; save: number; summary?: string },
): Promise<SavedWork> {
  const attempt = task.attempts[options.number - 1] ?? lastAttempt(task);
  const ref = saveRef(run, task, options);
  const { git, limits } = run.ledger.state.start.config;
  const message = { summary: options.summary ?? '', trailers: git.trailers, chainHead: run.ledger.chainHead };
  const saved = await saveWorkspace({
    mirror: run.project.mirror,
    path: workspace.path,
    ref,
    base: attempt?.base ?? run.ledger.state.start.base.commit,
    message: run.redact(workMessage(run.ledger.state, task, message)),
    exclude: workspace.excluded ?? [],
    author: { name: git.author, email: git.email },
    limits: { files: limits.workFiles, fileBytes: limits.workFileMb * 1024 * 1024 },
    ...mergeParents(run, task),
  });
  if (saved.problems.length > 0) {
    throw new AppError('WORK_UNSAVED', `${saved.problems.join('; ')} (the rest is saved as ${ref})`, {
      path: workspace.path,
      ref,
    });
  }
  const checkedOut = run.redact((await readPlainText(join(workspace.path, '.git', 'HEAD'), 4096)).trim());
  return { ref, commit: saved.commit, tree: saved.tree, head: saved.head, changed: saved.changed, checkedOut };
}

/** The number of an attempt's next save: a save whose record was lost in a crash keeps its ref. */
export async function nextSave(run: ActiveRun, task: TaskState, number: number): Promise<number> {
  let save = 1;
  while ((await readRef(run.project.mirror, saveRef(run, task, { number, save }))) !== undefined) save += 1;
  return save;
}

function saveRef(run: ActiveRun, task: TaskState, { number, save }: { number: number; save: number }): string {
  return `refs/manyhands/attempts/${attemptId(run.id, task.ordinal, number)}/${save}`;
}

/** Removes a task's workspace after its work is recorded; teardown commands run first. */
export async function removeAttemptWorkspace(ctx: EngineContext, run: ActiveRun, task: TaskState): Promise<void> {
  const workspace = await attemptWorkspaceOf(ctx, run, task);
  if (await exists(workspace.path)) {
    const step = { kind: 'workspace' as const, what: 'removes its workspace' };
    using _step = ctx.activities.begin({ run, tasks: [task.spec.key] }, step);
    await tearDown(ctx, run, task, workspace);
    await removeWithRecords(ctx, run, workspace.path);
  } else await removeRecords(ctx, workspace.path);
  await unlinkWorkspace(ctx.home.workspaces, workspace.path);
}

async function removeWithRecords(ctx: EngineContext, run: ActiveRun, path: string): Promise<void> {
  const { removing } = ctx.home;
  await run.keptDependencies.keep(path, ctx.world);
  await removeWorkspace({ mirror: run.project.mirror, path, removing });
  await removeRecords(ctx, path);
}

/** Removes what is recorded beside a workspace. */
async function removeRecords(ctx: EngineContext, path: string): Promise<void> {
  showLayers(path);
  await removeLater(layerWorkFolder(path), ctx.home.removing);
  for (const file of [excludedFile(ctx, path), layersFile(ctx, path)]) await deleteFile(file);
}

/** Removes the workspace of an ended task whose work is saved, after its end is committed; that of a failed task is kept for inspection. */
export async function removeEndedWorkspace(
  ctx: EngineContext,
  run: ActiveRun,
  key: TaskKey,
  committed: Promise<void>,
): Promise<void> {
  const task = taskOf(run.ledger.state, key);
  if (task.phase.status === 'failed') return;
  if (task.attempts.at(-1)?.ended?.saved == null && task.attempts.length > 0) return;
  await committed;
  // A folder that cannot be removed, or whose teardown fails, is kept: its work is saved, and `clean` lists it.
  await removeAttemptWorkspace(ctx, run, task).catch(() => {});
}

/** A failed teardown is reported, and the workspace is removed all the same. */
async function tearDown(
  ctx: EngineContext,
  run: ActiveRun,
  task: TaskState,
  workspace: AttemptWorkspace,
): Promise<void> {
  const { workspace: config } = run.ledger.state.start.config;
  if (config.teardown.length === 0 || workspace.excluded === undefined || !needsDependencies(run, task)) return;
  try {
    await teardown({
      home: ctx.home.root,
      workspace: workspace.path,
      config,
      env: childEnvironment(ctx.env),
      ...(await containCommands(ctx, run, 'setup')),
      signal: ctx.stopping,
    });
  } catch (error) {
    const attempt = attemptId(run.id, task.ordinal, Math.max(1, task.attempts.length));
    const row = {
      attempt,
      file: 'engine' as const,
      generation: ENGINE_GENERATIONS.teardown,
      offset: 0,
      at: ctx.world.now(),
      kind: 'warning',
      text: `Teardown failed: ${messageOf(error)}`,
    };
    await ctx.store.ingest({ attempt, rows: [row], cursors: [] });
  }
}

async function createForTask(
  run: ActiveRun,
  task: TaskState,
  { path, branch }: AttemptWorkspace,
  commit: string,
): Promise<void> {
  const { mirror } = run.project;
  const options = { mirror, path, commit, branch, ...identityAndStorage(run) };
  if (!(await run.pool.take(options))) await createWorkspace(options);
  const conflict = task.from === null ? conflictOf(run, task) : undefined;
  if (conflict !== undefined) await layOutConflict({ mirror, path, onto: conflict.onto, theirs: conflict.commit });
}

type Preparation = Awaited<ReturnType<typeof preparationOf>>;

/** What a seed and a workspace are prepared with. */
async function preparationOf(
  ctx: EngineContext,
  run: ActiveRun,
  { task, step, signal }: { task: TaskState; step: RunningStep; signal: AbortSignal },
) {
  const { start } = run.ledger.state;
  return {
    home: ctx.home.root,
    root: start.project.root,
    config: start.config.workspace,
    env: childEnvironment(ctx.env),
    ...(await containCommands(ctx, run, 'setup')),
    signal,
    observer: observePreparation(ctx, run, { step, attempt: attemptId(run.id, task.ordinal, task.attempts.length) }),
  };
}

async function seedForTask(
  run: ActiveRun,
  task: TaskState,
  preparation: Preparation & { commit: string },
): Promise<Seed> {
  const { id: project, mirror } = run.project;
  if (!needsDependencies(run, task)) return EMPTY_SEED;
  return seedForCommit({ ...preparation, mirror, project, ...lfsOf(run.project) });
}

type Provisioning = { task: TaskState; workspace: AttemptWorkspace; preparation: Preparation; seed: Seed };

async function provisionWorkspace(
  ctx: EngineContext,
  run: ActiveRun,
  { task, workspace, preparation, seed }: Provisioning,
): Promise<readonly string[]> {
  const canLayer = preparation.canLayer && task.spec.serve === undefined;
  const { excluded } = await provision({
    ...preparation,
    kept: run.keptDependencies,
    canLayer,
    workspace: workspace.path,
    seed,
  });
  await recordLayers(layersFile(ctx, workspace.path), workspace.path);
  await replaceFile(excludedFile(ctx, workspace.path), excluded.length === 0 ? '' : JSON.stringify(excluded));
  return excluded;
}

async function saveLeftWork(
  ctx: EngineContext,
  run: ActiveRun,
  task: TaskState,
  workspace: AttemptWorkspace,
): Promise<SavedWork> {
  const number = Math.max(1, task.attempts.length - 1);
  return saveAttemptWorkspace(run, task, workspace, { number, save: ctx.world.now() });
}

/** For a resolver of a conflict: both sides are the parents of its commit. */
function mergeParents(run: ActiveRun, task: TaskState): { parents?: string[] } {
  const conflict = conflictOf(run, task);
  return conflict === undefined || task.from !== null ? {} : { parents: [conflict.onto, conflict.commit] };
}

/** The author of commits in a workspace, and where large files come from. */
function identityAndStorage(run: ActiveRun): { identity: { name: string; email: string }; lfsStorage?: string } {
  const { author, email } = run.ledger.state.start.config.git;
  return { identity: { name: author, email }, ...lfsOf(run.project) };
}
