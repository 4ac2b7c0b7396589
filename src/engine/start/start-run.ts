import { join, relative, resolve as resolvePath } from 'node:path';
import { benchConfig } from '../../core/models/bench.ts';
import { rankOpen } from '../../core/models/ranking.ts';
import { fileNewRun } from '../../core/project/filing.ts';
import { recordStart } from '../../core/run/decide-start.ts';
import { evolve } from '../../core/run/evolve.ts';
import { withoutValues } from '../../core/run/recorded-config.ts';
import type { RunState } from '../../core/run/state.ts';
import { AppError } from '../../errors.ts';
import { openMirror } from '../../git/mirror/mirror.ts';
import { untrustedFilters, untrustedText, withoutFilters } from '../../git/read/filters.ts';
import { projectId, type Repository, uncommitted } from '../../git/read/repository.ts';
import { branchAt, readRef, resolve } from '../../git/refs/mirror-refs.ts';
import { requireGit } from '../../git/version.ts';
import { requireRole, roleNames, roleText } from '../../roles/load.ts';
import type { Origin } from '../../schema/actor.ts';
import type { GitConfig } from '../../schema/config/git.ts';
import { ignoredHostsText } from '../../schema/config/network.ts';
import type { Config } from '../../schema/config.ts';
import type { RunStart } from '../../schema/event.ts';
import { projectStream, runStream, watchStream } from '../../schema/ids.ts';
import type { BenchKind } from '../../schema/model.ts';
import type { StartOptions, StartRequest } from '../../schema/request.ts';
import type { WatchEvent } from '../../schema/watch/watch-event.ts';
import type { Write } from '../../store/store.ts';
import { requireOutside } from '../../workspaces/location.ts';
import { crashpoint } from '../../world.ts';
import { requireSandbox } from '../attempt/containment.ts';
import { mirrorProgress } from '../loop/activities.ts';
import type { EngineContext, Project } from '../loop/context.ts';
import { importClientBase } from './client-base.ts';
import { readHistory } from './model-history.ts';
import { openFolder } from './open-folder.ts';
import { redactorOf } from './open-run.ts';
import { pinChoices } from './pin-agents.ts';
import { requireFuture, withOptions } from './start-options.ts';
import { unusableAgents, usesHosts } from './usable-agents.ts';

/** A benchmark: the folder whose settings apply, where it was requested, and the command that checks it. */
type BenchStart = { kind: BenchKind; settings: string; dir: string; check: string[] };

export type StartedRun = { state: RunState; project: Project; notes: string[] };

/** What the run belongs to: a benchmark, an item of a batch, or what its start is for the series that watches its project; and who starts it. */
export type StartOverrides = {
  bench?: BenchStart;
  item?: { batch: string; item: number };
  watch?: (run: string) => WatchEvent[];
  origin?: Origin;
};

/** Records a new run with everything that it depends on pinned; refuses early, before anything is created. */
export async function startRun(
  ctx: EngineContext,
  request: StartRequest,
  overrides: StartOverrides = {},
): Promise<StartedRun> {
  const { options } = request;
  const { bench, origin } = overrides;
  using step = ctx.activities.begin({ folder: options.dir }, { kind: 'workspace', what: 'reads the settings' });
  requireFuture(options, ctx.world.now());
  await requireGit();
  const recipe = ctx.implementations.recipe(request.recipe);
  const { repository, folder } = await openFolder(ctx, recipe, request);
  const root = bench?.settings ?? repository.root;
  const settings = withOptions(await settingsOf(ctx, root, bench), options);
  const config = recipe.settings?.(settings) ?? settings;
  await requireOutside({ dir: config.workspace.dir, root: folder ?? repository.root });
  await requireSandbox(ctx, config);
  if (recipe.needsTerminal?.(request.input) === true && usesHosts(ctx, config))
    throw new AppError(
      'TERMINAL_NONE',
      'Hosts perform the attempts of this run (hosts.git), and agents on hosts have no terminal: start it without --interactive',
    );
  const choices = { ...options, dir: bench?.dir ?? options.dir };
  const roles = await pinRoles(ctx, repository.root);
  const known = Object.keys(roles);
  for (const role of recipe.roles?.(request.input) ?? []) requireRole(role, known);
  const pinned = await withLogins(
    ctx,
    pinChoices(ctx.implementations, { config, options: choices, root, roles: known }),
  );
  step.update({ kind: 'attempt', what: 'finds out which agents can work' });
  const { unable, waiting } = await unusableAgents(ctx, pinned, root);
  const id = projectId(repository);
  const onProgress = mirrorProgress(step);
  const mirror = await openMirror({ dir: join(ctx.home.mirrors, `${id}.git`), repository, onProgress });
  step.update({ kind: 'workspace', what: 'records the run' });
  if (folder === undefined) await requireBranchesPossible(mirror);
  const defaults = recipe.defaults?.(config, request.input) ?? {};
  await importClientBase(ctx, mirror, options.base);
  const base = await baseOf(options.base ?? config.git.base, { repository, mirror, id }, defaults.base);
  const land = options.land ?? config.land ?? defaults.land ?? 'branch';
  if (land === 'merge' && base.branch === null) {
    const branch = await branchAt(mirror, base.commit);
    const onto = branch === undefined ? '' : `git switch ${branch}, or to keep this commit: `;
    throw new AppError(
      'INPUT_INVALID',
      `HEAD is detached, so there is no branch to land on. Switch to one: ${onto}git switch -c my-branch`,
    );
  }
  if (land === 'pr') await requireForge(ctx, repository, config.git);
  await ctx.hosts?.exchange.shareBase(ctx, { config, mirror, commit: base.commit });
  const run = ctx.world.runId();
  const start: RunStart = {
    run,
    title: redactorOf(ctx, pinned.config)(options.title ?? recipe.title(request.input)),
    project: { id, root: repository.root, ...(folder === undefined ? {} : { folder }) },
    recipe: { name: recipe.name, version: recipe.version },
    input: request.input,
    base,
    land,
    config: withoutValues(pinned.config),
    roles,
    agents: pinned.byRole,
    ...(options.until === undefined ? {} : { deadline: options.until }),
    ...(options.maxIterations === undefined ? {} : { maxIterations: options.maxIterations }),
    ...(defaults.landEach === true && land === 'merge' ? { landEach: true } : {}),
    ...rankingFor(ctx, pinned, id),
    ...(Object.keys(unable).length === 0 ? {} : { unable }),
    ...(bench === undefined ? {} : { bench: { kind: bench.kind, settings: bench.settings } }),
  };
  const event = recordStart(start);
  const at = ctx.world.now();
  crashpoint('run.starting');
  const writes = [{ stream: runStream(run), expected: 0, events: [event] }, ...filing(start, options, overrides)];
  await ctx.store.append(origin === undefined ? writes : writes.map((write) => ({ ...write, origin })), at);
  crashpoint('run.started');
  const notes =
    folder === undefined
      ? await notesFor(ctx, recipe.isReadOnly?.(request.input) ?? false, { repository, config, base, request })
      : [];
  if (waiting !== undefined) notes.push(waiting);
  if (options.labels !== undefined && !usesHosts(ctx, config))
    notes.push('Labels are not used: without hosts (hosts.git), attempts and checks run on the machine of the engine.');
  return { state: evolve(undefined, { event, at, origin }), project: { id, repository, mirror }, notes };
}

/** The run is filed in the same transaction in which it starts. */
function filing({ run, project }: RunStart, { collection }: StartOptions, { item, watch }: StartOverrides): Write[] {
  const events = fileNewRun(run, { collection, item });
  return [
    ...(events.length === 0 ? [] : [{ stream: projectStream(project.id), expected: -1, events }]),
    ...(watch === undefined ? [] : [{ stream: watchStream(project.id), expected: -1, events: watch(run) }]),
  ];
}

async function settingsOf(ctx: EngineContext, root: string, bench: BenchStart | undefined): Promise<Config> {
  const config = await ctx.implementations.config(root);
  return bench === undefined ? config : benchConfig(config, bench.check);
}

async function withLogins<T extends { config: Config }>(ctx: EngineContext, pinned: T): Promise<T> {
  return { ...pinned, config: await ctx.implementations.withLogins(pinned.config) };
}

/** The ranking, by verified results, of the agents whose order the user did not set. */
function rankingFor(
  ctx: EngineContext,
  { config, open }: { config: Config; open: string[] },
  project: string,
): Pick<RunStart, 'ranking'> {
  const ranking = rankOpen({ config, open, project, history: readHistory(ctx) });
  return Object.keys(ranking).length === 0 ? {} : { ranking };
}

/** Git cannot create mh/<run> while there is a branch named mh. */
async function requireBranchesPossible(mirror: Project['mirror']): Promise<void> {
  if ((await readRef(mirror, 'refs/user/heads/mh')) === undefined) return;
  throw new AppError('BRANCH_TAKEN', 'There is a branch named mh, so mh/<run> cannot be created', {
    branch: 'mh',
  });
}

async function pinRoles(ctx: EngineContext, root: string): Promise<Record<string, string>> {
  const userDir = join(root, '.manyhands', 'roles');
  const roles: Record<string, string> = {};
  const names = await roleNames({ userDir });
  const texts = await Promise.all(names.map((name) => roleText(name, { userDir })));
  const hashes = await Promise.all(texts.map((text) => ctx.store.putBlob(text)));
  for (const [index, name] of names.entries()) roles[name] = hashes[index] ?? '';
  return roles;
}

/** Where the run starts and lands: the requested branch, the recipe's own one (created when it first lands), or the current one. */
async function baseOf(
  requested: string | undefined,
  project: Project,
  own: string | undefined,
): Promise<RunStart['base']> {
  const { repository, mirror } = project;
  const name = requested ?? own;
  if (name === undefined) return { branch: repository.branch, commit: repository.head };
  const commit = await resolve(mirror, name);
  if (commit === undefined && name === own) return { branch: own, commit: repository.head, create: true };
  if (commit === undefined)
    throw new AppError('BRANCH_UNKNOWN', `There is no branch or commit ${name}`, { wanted: name });
  const branch = (await readRef(mirror, `refs/user/heads/${name}`)) === undefined ? null : name;
  return { branch, commit };
}

/** Read from the checkout, so that uncommitted changes in it count. */
const SETTINGS_FOLDER = '.manyhands/';

/** Other files that the run reads or writes in the checkout itself. */
function filesInUse(root: string, config: Config, { input, options }: StartRequest): Set<string> {
  const file = typeof input === 'object' && input !== null && 'file' in input ? input.file : undefined;
  const programs = Object.values(config.agents).map(({ command }) => command);
  const named = options.agents.map((agent) => /command:(.+)$/.exec(agent)?.[1]);
  const paths = [file, options.workFile, config.progress, '.worktreeinclude', options.scenario, ...programs, ...named];
  return new Set(
    paths.flatMap((path) => (typeof path === 'string' ? [relative(root, resolvePath(options.dir, path))] : [])),
  );
}

type NotedStart = { request: StartRequest; repository: Project['repository']; config: Config; base: RunStart['base'] };

async function notesFor(
  { implementations }: EngineContext,
  isReadOnly: boolean,
  { repository, config, base, request }: NotedStart,
): Promise<string[]> {
  const notes: string[] = [];
  for (const { key, reason } of await implementations.ignoredSettings(repository.root))
    if (key !== 'network.allow')
      notes.push(`${key} in ${SETTINGS_FOLDER}config.yaml has no effect: ${reason}. Your own settings can set it.`);
  const filters = await untrustedFilters(repository, config.trust);
  if (filters.names.length > 0) notes.push(untrustedText(filters));
  const ignored = ignoredHostsText(config.network);
  if (ignored !== undefined) notes.push(ignored);
  const all = (await uncommitted(repository, withoutFilters(filters))).map(({ path }) => path);
  const isSetting = (path: string) => path.startsWith(SETTINGS_FOLDER);
  const used = filesInUse(repository.root, config, request);
  const changes = all.filter((path) => !isSetting(path) && !used.has(path));
  if (all.some(isSetting)) notes.push(`Uncommitted settings in ${SETTINGS_FOLDER} are used as they are.`);
  if (changes.length > 0) {
    const files = changes.length === 1 ? '1 uncommitted change is' : `${changes.length} uncommitted changes are`;
    notes.push(`Your ${files} not part of this run; it starts from commit ${base.commit.slice(0, 10)}.`);
  }
  if (config.checks.length === 0 && !isReadOnly)
    notes.push('No check is configured, so the result will be unverified; add one with --check "npm test".');
  return notes;
}

/** Refuses a run that must end in a pull request where none can be opened, before anything is spent on it. */
async function requireForge(
  ctx: EngineContext,
  repository: Pick<Repository, 'root'>,
  config: GitConfig,
): Promise<void> {
  const found = await ctx.implementations.forge(repository, config, ctx.stopping);
  if (found.kind === 'found') return;
  throw new AppError('FORGE_MISSING', `No pull request can be opened here: ${found.reason}; ${found.nextStep}`, {
    remote: config.remote,
    provider: config.provider,
  });
}
