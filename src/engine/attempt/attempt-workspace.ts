import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { workMessage } from '../../core/land/commit-message.ts';
import { taskOf } from '../../core/run/phase.ts';
import { lastAttempt, type TaskState } from '../../core/run/state.ts';
import { AppError, messageOf } from '../../errors.ts';
import { exists } from '../../git/path-kind.ts';
import { deleteFile, readPlainText } from '../../git/plain-file.ts';
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
import { EMPTY_SEED } from '../../workspaces/seed.ts';
import { areLayersThere, recordLayers, showLayers } from '../../workspaces/shown-layers.ts';
import { observePreparation } from '../land/evidence.ts';
import type { RunningStep } from '../loop/activities.ts';
import { type ActiveRun, type EngineContext, lfsOf } from '../loop/context.ts';
import { ENGINE_GENERATIONS } from './attempt-output.ts';
import { canLayerDependencies, containCommands } from './containment.ts';
import { type AttemptWorkspace, excludedFile, layersFile, prepareAhead, workspaceOfTask } from './workspace-of-task.ts';

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
      (await checkWorkspace(workspace.path, expected)).ok &&
      (await areLayersThere(workspace.path, () => canLayerDependencies(ctx, run)));
    if (accepted !== undefined && task.from === null && (await isUsable())) return workspace;
  }
  await removeWithRecords(ctx, run, workspace.path);
  await linkWorkspace(ctx.home.workspaces, workspace.path);
  const lastSaved = task.attempts.slice(0, -1).findLast((attempt) => attempt.ended?.saved != null)?.ended?.saved;
  const continued = task.changes === 'keep' ? (accepted ?? lastSaved) : lastSaved;
  const commit = await createForTask(run, task, workspace, continued?.commit);
  prepareAhead(ctx, run, { path: workspace.path, commit });
  return { ...workspace, excluded: await provisionWorkspace(ctx, run, { task, workspace, commit, step }, signal) };
}

/** How a kept workspace differs from the record of the last attempt in it; attempts that were refused for this reason are no record. */
function differenceFromRecord(task: TaskState, saved: SavedWork): string | undefined {
  const last = task.attempts.slice(0, -1).findLast(({ ended }) => ended?.failure?.workspace === undefined);
  const recorded = last?.ended?.saved;
  if (recorded == null) return undefined;
  if (saved.tree !== recorded.tree) return `its files are not those of attempt ${last?.number}`;
  if (saved.head !== recorded.head) return `HEAD is at ${saved.head} instead of ${recorded.head}`;
  if (recorded.checkedOut !== undefined && saved.checkedOut !== recorded.checkedOut)
    return `HEAD is ${saved.checkedOut || 'missing'} instead of ${recorded.checkedOut}`;
  return undefined;
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
  }
  await unlinkWorkspace(ctx.home.workspaces, workspace.path);
}

async function removeWithRecords(ctx: EngineContext, run: ActiveRun, path: string): Promise<void> {
  const { removing } = ctx.home;
  await run.keptDependencies.keep(path, ctx.world);
  await removeWorkspace({ mirror: run.project.mirror, path, removing });
  showLayers(path);
  await removeLater(layerWorkFolder(path), removing);
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
  workspace: AttemptWorkspace,
  lastSaved: string | undefined,
): Promise<string> {
  const { mirror } = run.project;
  const create = async (commit: string) => {
    const options = { mirror, path: workspace.path, commit, branch: workspace.branch, ...identityAndStorage(run) };
    if (!(await run.pool.take(options))) await createWorkspace(options);
    return commit;
  };
  const conflict = conflictOf(run, task);
  if (conflict === undefined || task.from !== null)
    return create(task.from?.commit ?? lastSaved ?? lastAttempt(task)?.base ?? run.ledger.state.tip.commit);
  await create(conflict.onto);
  await layOutConflict({ mirror, path: workspace.path, onto: conflict.onto, theirs: conflict.commit });
  return conflict.onto;
}

/** Whether a task's workspace is set up to run the project: one that only reads is not, unless it starts the application or its role requires it. */
function needsDependencies({ ledger, roles }: ActiveRun, task: TaskState): boolean {
  const owner = task.spec.workspace === undefined ? undefined : ledger.state.tasks[task.spec.workspace];
  return [task, ...(owner === undefined ? [] : [owner])].some(
    ({ spec }) => spec.access === 'write' || spec.serve !== undefined || roles.get(spec.role)?.dependencies === true,
  );
}

async function provisionWorkspace(
  ctx: EngineContext,
  run: ActiveRun,
  {
    task,
    workspace,
    commit,
    step,
  }: { task: TaskState; workspace: AttemptWorkspace; commit: string; step: RunningStep },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { start } = run.ledger.state;
  const common = {
    home: ctx.home.root,
    root: start.project.root,
    config: start.config.workspace,
    env: childEnvironment(ctx.env),
    ...(await containCommands(ctx, run, 'setup')),
    signal,
    observer: observePreparation(ctx, run, { step, attempt: attemptId(run.id, task.ordinal, task.attempts.length) }),
  };
  const seed = needsDependencies(run, task)
    ? await seedForCommit({
        ...common,
        mirror: run.project.mirror,
        project: run.project.id,
        commit,
        ...lfsOf(run.project),
      })
    : EMPTY_SEED;
  // An application would run beside its agent: two overlays cannot share one folder.
  const canLayer = common.canLayer && task.spec.serve === undefined;
  const { excluded } = await provision({
    ...common,
    kept: run.keptDependencies,
    canLayer,
    workspace: workspace.path,
    seed,
  });
  await recordLayers(layersFile(ctx, workspace.path), workspace.path);
  const file = excludedFile(ctx, workspace.path);
  await writeFile(`${file}.new`, JSON.stringify(excluded), { mode: 0o600 });
  await rename(`${file}.new`, file);
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

function conflictOf(run: ActiveRun, task: TaskState): { onto: string; commit: string } | undefined {
  const resolved = task.spec.resolves === undefined ? undefined : run.ledger.state.tasks[task.spec.resolves]?.phase;
  return resolved?.status === 'conflicted' ? { onto: resolved.onto, commit: resolved.commit } : undefined;
}

/** The author of commits in a workspace, and where large files come from. */
function identityAndStorage(run: ActiveRun): { identity: { name: string; email: string }; lfsStorage?: string } {
  const { author, email } = run.ledger.state.start.config.git;
  return { identity: { name: author, email }, ...lfsOf(run.project) };
}
