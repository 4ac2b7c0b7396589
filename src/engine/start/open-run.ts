import { existsSync, readFileSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { landAgain } from '../../core/land/decide-landing.ts';
import { type Redact, redactor, secretsAmong } from '../../core/redact.ts';
import { hasVariables, withValues } from '../../core/run/recorded-config.ts';
import { lastAttempt, OPEN_STATUSES, type RunState, type TaskState } from '../../core/run/state.ts';
import { AppError } from '../../errors.ts';
import { openMirror, recoverObjects } from '../../git/mirror/mirror.ts';
import { type Mirror, openStoredMirror } from '../../git/mirror/mirror-config.ts';
import type { MirrorProgress } from '../../git/mirror/refresh.ts';
import { exists } from '../../git/path-kind.ts';
import { inspectRepository, type Repository } from '../../git/read/repository.ts';
import { readRef, writeRef } from '../../git/refs/mirror-refs.ts';
import type { Home } from '../../home.ts';
import { FILES } from '../../process/shim.ts';
import { parseRole, type Role } from '../../roles/role.ts';
import type { Config } from '../../schema/config.ts';
import type { RunStart } from '../../schema/event.ts';
import { attemptId, runStream, type TaskKey } from '../../schema/ids.ts';
import { removeRawOutput } from '../attempt/assignment.ts';
import { attemptWorkspaceOf, nextSave, saveAttemptWorkspace } from '../attempt/attempt-workspace.ts';
import { runRef } from '../land/land-tasks.ts';
import { mirrorProgress } from '../loop/activities.ts';
import { type ActiveRun, type EngineContext, emptyPools, type Project } from '../loop/context.ts';
import { loadRun, runLedger } from '../loop/ledger.ts';
import { recoverFromExchange } from './exchange-recovery.ts';
import { ensureClone, localProject } from './project-clone.ts';

/** Opens a recorded run: with the recipe version, agents and roles that it was started with, never newer ones. */
export async function openRun(
  ctx: EngineContext,
  run: string,
  loaded?: { state: RunState; project: Project },
): Promise<ActiveRun> {
  const state = loaded?.state ?? loadRun(ctx.store, runStream(run));
  const { start } = state;
  start.project = localProject(ctx.home, start.project);
  const project = loaded?.project ?? (await openShowing(ctx, start.project));
  const lost = await recoverCommits(ctx, project, state);
  await repairBranch(project, state);
  await removeReadOutput(ctx, state);
  const recipe = ctx.implementations.recipe(start.recipe.name, start.recipe.version);
  const active: ActiveRun = {
    id: run,
    ledger: runLedger(ctx.store, ctx.world, state, (events) => ctx.hosts?.exchange.beforeEvents(ctx, active, events)),
    project,
    recipe,
    ...openSettings(ctx, start, await currentValues(ctx, start, start.config)),
    ...loadRoles(ctx, start.roles),
    cancel: new AbortController(),
    force: new AbortController(),
    interrupts: new Map(),
    checks: recipe.isReadOnly?.(start.input) === true ? [] : ctx.implementations.checks(start.config),
    endCommit: undefined,
    toMeasure: undefined,
    nativeFiles: undefined,
    projectHosts: undefined,
    ...emptyPools(ctx.home.removing, start.config),
    baselines: new Map(),
    warnedEdits: new Map(),
    writtenBack: { version: 0, content: undefined },
    cancelErrors: 0,
  };
  if (lost.size > 0) await saveAgain(ctx, active, lost);
  return active;
}

/** What of an open run follows from its recorded settings. */
type OpenSettings = Pick<ActiveRun, 'config' | 'agents' | 'redact'>;

function openSettings(ctx: EngineContext, start: RunStart, values: Config | undefined): OpenSettings {
  const root = settingsRoot(start);
  const config = values === undefined ? start.config : withValues(start.config, values);
  const agents = ctx.implementations.agents({ config, project: { ...start.project, root } });
  return { config, agents, redact: redactorOf(ctx, config) };
}

/** Removes the secrets that these settings, the environment and the server hold. */
export function redactorOf(ctx: Pick<EngineContext, 'env' | 'home'>, config: Config): Redact {
  return redactor([...secretsOf(ctx.env, config), ...serverTokens(ctx.home)]);
}

/** Reads what changed settings of an open run need; the returned function applies them once they are recorded. */
export async function prepareSettings(
  ctx: EngineContext,
  run: ActiveRun,
  added: Config['agents'] = {},
): Promise<() => void> {
  const { start } = run.ledger.state;
  const config = { ...start.config, agents: { ...start.config.agents, ...added } };
  const values = await currentValues(ctx, start, config);
  return () => {
    const opened = openSettings(ctx, run.ledger.state.start, values);
    run.config = opened.config;
    run.agents = opened.agents;
    run.redact = opened.redact;
  };
}

/** The folder whose settings apply to the run. */
export function settingsRoot({ bench, project }: Pick<RunStart, 'bench' | 'project'>): string {
  return bench?.settings ?? project.root;
}

async function currentValues(ctx: EngineContext, start: RunStart, config: Config): Promise<Config | undefined> {
  return hasVariables(config) ? currentSettings(ctx, config, settingsRoot(start)) : undefined;
}

/** The current settings, with the logins that other programs store for the run's agents. */
async function currentSettings(ctx: EngineContext, recorded: Config, root: string): Promise<Config> {
  const current = await ctx.implementations.config(root);
  const known = Object.entries(recorded.agents).map(([name, agent]) => [name, { ...agent, env: {}, accounts: {} }]);
  return ctx.implementations.withLogins({ ...current, agents: { ...Object.fromEntries(known), ...current.agents } });
}

/** The project of a run that is resumed; who waits for that sees what is done. */
async function openShowing(ctx: EngineContext, project: { id: string; root: string }): Promise<Project> {
  using step = ctx.activities.begin({ folder: project.root }, { kind: 'mirror', what: 'opens the private mirror' });
  await ensureClone(ctx, project);
  return await openProject(ctx, project, mirrorProgress(step));
}

/** The project of a recorded run, its mirror opened. */
export async function openProject(
  ctx: Pick<EngineContext, 'home'>,
  project: { id: string; root: string },
  onProgress?: MirrorProgress,
): Promise<Project> {
  const repository = await inspectAgain(project.root);
  const mirror = await openMirror({ dir: join(ctx.home.mirrors, `${project.id}.git`), repository, onProgress });
  return { id: project.id, repository, mirror };
}

/** A project whose repository was deleted, from its mirror: enough to stop the run, save its work and end it. */
export async function openLostProject(
  ctx: Pick<EngineContext, 'home'>,
  { id, root }: { id: string; root: string },
): Promise<Project> {
  const mirror = await openStoredMirror(join(ctx.home.mirrors, `${id}.git`));
  if (mirror === undefined) throw new AppError('REPOSITORY_GONE', `The repository is no longer at ${root}`, { root });
  const gitDir = join(root, '.git');
  const repository = {
    root,
    gitDir,
    commonDir: gitDir,
    branch: null,
    head: '',
    objectFormat: mirror.objectFormat,
    shallow: false,
    lfs: false,
    sparse: false,
    submodules: [],
  };
  return { id, repository, mirror };
}

/** A folder that now belongs to another repository is not the recorded one. */
async function inspectAgain(root: string): Promise<Repository> {
  try {
    const repository = await inspectRepository(root);
    if (repository.root === (await realpath(root))) return repository;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'NOT_A_REPOSITORY') throw error;
  }
  throw new AppError('REPOSITORY_GONE', `The repository is no longer at ${root}`, { root });
}

/** Commits that are lost, with what they were to the run. */
type LostCommits = Map<string, { name: string; task?: TaskKey }>;

/** A mirror that was deleted, or lost objects, is completed from the repository and the commits of workspaces; returns what a run needs and neither has. */
async function recoverCommits(
  ctx: EngineContext,
  { mirror, repository }: Project,
  state: RunState,
): Promise<LostCommits> {
  const needed: LostCommits = new Map();
  for (const { spec, phase } of Object.values(state.tasks)) {
    const commit = 'commit' in phase ? phase.commit : phase.status === 'blocked' ? phase.landing?.commit : undefined;
    if (commit != null && OPEN_STATUSES.some((status) => status === phase.status))
      needed.set(commit, { name: `the work of ${spec.key}`, task: spec.key });
  }
  needed.set(state.start.base.commit, { name: 'its base' });
  needed.set(state.tip.commit, { name: 'its branch' });
  const missing = await recoverObjects(mirror, {
    repository,
    workspaces: ctx.home.workspaces,
    commits: [...needed.keys()],
  });
  const lost = await recoverFromExchange(ctx, mirror, state, missing);
  const found = new Map([...needed].filter(([commit]) => lost.includes(commit)));
  const gone = [...found].filter(([, { task }]) => task === undefined);
  if (gone.length > 0) throw lostForGood(mirror, gone);
  return found;
}

function lostForGood({ dir }: Mirror, gone: readonly [commit: string, { name: string }][]): AppError {
  const what = gone.map(([commit, { name }]) => `${name} (${commit.slice(0, 10)})`).join(', ');
  const message = `The mirror ${dir} lost ${what}, which neither the repository nor a workspace has`;
  return new AppError('DATA_DAMAGED', message, { lost: gone.map(([commit]) => commit) });
}

/** Saves work whose commit is lost again from its workspace, where that still has exactly the recorded files; what is lost for good is named. */
async function saveAgain(ctx: EngineContext, run: ActiveRun, lost: LostCommits): Promise<void> {
  for (const [commit, found] of lost) {
    const task = found.task === undefined ? undefined : run.ledger.state.tasks[found.task];
    const saved = task === undefined ? undefined : await savedAgain(ctx, run, task);
    if (task === undefined || saved === undefined) throw lostForGood(run.project.mirror, [[commit, found]]);
    await run.ledger.submit((state) => landAgain(state, { task: task.spec.key, ...saved })).committed;
  }
}

async function savedAgain(
  ctx: EngineContext,
  run: ActiveRun,
  task: TaskState,
): Promise<{ commit: string; ref: string } | undefined> {
  const attempt = task.attempts.findLast(({ ended }) => ended?.saved != null);
  const recorded = attempt?.ended?.saved;
  const workspace = await attemptWorkspaceOf(ctx, run, task);
  if (attempt === undefined || recorded == null || !(await exists(workspace.path))) return undefined;
  const save = await nextSave(run, task, attempt.number);
  const summary = attempt.ended?.summary ?? '';
  const { tree, commit, ref } = await saveAttemptWorkspace(run, task, workspace, {
    number: attempt.number,
    save,
    summary,
  });
  return tree === recorded.tree ? { commit, ref } : undefined;
}

/** Events decide where the branch is; a ref that a crash left elsewhere is kept under another name and corrected. */
export async function repairBranch({ mirror }: Project, state: RunState): Promise<void> {
  const ref = runRef(state.start.run);
  const current = await readRef(mirror, ref);
  if (current === state.tip.commit) return;
  if (current !== undefined)
    await writeRef(mirror, { ref: `refs/manyhands/strays/${state.start.run}/${current}`, to: current, expected: null });
  await writeRef(mirror, { ref, to: state.tip.commit, expected: current ?? null });
}

/** Raw output that an engine left which ended just after it had recorded the end of an attempt. */
async function removeReadOutput({ home }: Pick<EngineContext, 'home'>, { start, tasks }: RunState): Promise<void> {
  for (const task of Object.values(tasks)) {
    const last = lastAttempt(task);
    // The output of a blocked task may still have to be read.
    if (last?.ended == null || task.phase.status === 'running' || task.phase.status === 'blocked') continue;
    const folder = join(home.attempts, attemptId(start.run, task.ordinal, last.number));
    if (existsSync(join(folder, FILES.stdout))) await removeRawOutput(folder);
  }
}

/** The tokens of this data directory's server: a viewer must not find the operator's token in a transcript. */
function serverTokens(home: Home): string[] {
  try {
    const file = join(home.root, 'server', 'tokens.json');
    return Object.values(z.record(z.string(), z.string()).parse(JSON.parse(readFileSync(file, 'utf8'))));
  } catch {
    // No server was ever opened. Tokens that are created later have a prefix that redaction recognises.
    return [];
  }
}

/** Every value that is a secret by its name: from our environment, and from the variables of agents and MCP servers. */
function secretsOf(env: EngineContext['env'], config: Config): string[] {
  const agents = Object.values(config.agents).flatMap((agent) => [
    agent.env,
    ...Object.values(agent.accounts).map(({ env }) => env),
  ]);
  const servers = Object.values(config.mcp).map((server) => ('url' in server ? server.headers : server.env));
  return [env, ...agents, ...servers].flatMap(secretsAmong);
}

/** A run uses few of its roles: each is parsed when it is first needed. */
function loadRoles(ctx: EngineContext, hashes: Record<string, string>): Pick<ActiveRun, 'roles' | 'roleTexts'> {
  const texts: Record<string, string> = {};
  for (const [name, hash] of Object.entries(hashes)) {
    const text = ctx.store.getBlob(hash);
    if (text === undefined) throw new AppError('DATA_DAMAGED', `The text of role ${name} is missing`);
    texts[name] = text;
  }
  return { roles: rolesOf(texts), roleTexts: texts };
}

/** The roles of these texts. */
export function rolesOf(texts: Readonly<Record<string, string>>): ActiveRun['roles'] {
  const parsed = new Map<string, Role>();
  return {
    get: (name) => {
      const text = texts[name];
      if (text === undefined) return undefined;
      const role = parsed.get(name) ?? parseRole(text, { name, file: `role ${name}` });
      parsed.set(name, role);
      return role;
    },
  };
}
