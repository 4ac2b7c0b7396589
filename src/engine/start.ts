import { join } from 'node:path';
import { evolve } from '../core/evolve.ts';
import { withoutValues } from '../core/recorded-config.ts';
import type { RunState } from '../core/state.ts';
import { AppError } from '../errors.ts';
import { snapshotFolder } from '../git/folder.ts';
import { openMirror } from '../git/mirror.ts';
import { readRef, resolve } from '../git/mirror-refs.ts';
import { refreshMirror } from '../git/refresh.ts';
import { inspectRepository, projectId, type Repository, uncommitted } from '../git/repository.ts';
import { requireGit } from '../git/version.ts';
import { loadRole, roleNames } from '../roles/load.ts';
import type { Config } from '../schema/config.ts';
import type { RunEvent, RunStart } from '../schema/event.ts';
import { runStream } from '../schema/ids.ts';
import type { StartOptions, StartRequest } from '../schema/request.ts';
import { crashpoint } from '../world.ts';
import type { EngineContext, Project } from './context.ts';
import { pinChoices } from './pin.ts';

export type StartedRun = { state: RunState; project: Project; notes: string[] };

/** Puts a new run on record with all that it will ever depend on pinned; refuses early, before anything is made. */
export async function startRun(ctx: EngineContext, request: StartRequest): Promise<StartedRun> {
  const { options } = request;
  await requireGit();
  const { repository, folder } = await openFolder(ctx, request);
  const config = withOptions(await ctx.parts.config(repository.root), options);
  const recipe = ctx.parts.recipe(request.recipe);
  const pinned = pinChoices(ctx.parts, { config, options, root: repository.root });
  await requireAvailable(ctx, pinned.config, repository.root);
  const roles = await pinRoles(ctx, repository.root);
  requireRole(request, roles);
  const id = projectId(repository);
  const mirror = await openMirror({ dir: join(ctx.home.mirrors, `${id}.git`), repository });
  await refreshMirror(mirror, repository);
  if (folder === undefined) await requireRoomForBranch(mirror);
  const base = await baseOf(options.base ?? config.git.base, { repository, mirror, id });
  const land = options.land ?? config.land;
  if (land === 'merge' && base.branch === null) {
    throw new AppError(
      'INPUT_INVALID',
      'Landing by merge needs a branch, and HEAD is detached: check one out, or name one with --base',
    );
  }
  const run = ctx.world.runId();
  const start: RunStart = {
    run,
    title: options.title ?? recipe.title(request.input),
    project: { id, root: repository.root, ...(folder === undefined ? {} : { folder }) },
    recipe: { name: recipe.name, version: recipe.version },
    input: request.input,
    base,
    land,
    config: withoutValues(pinned.config),
    roles,
    agents: pinned.byRole,
  };
  const event: RunEvent = { type: 'run.started', data: start };
  const at = ctx.world.now();
  crashpoint('run.starting');
  await ctx.store.append([{ stream: runStream(run), expected: 0, events: [event] }], at);
  crashpoint('run.started');
  const notes = folder === undefined ? await notesFor(repository, config, base) : [];
  return { state: evolve(undefined, { event, at }), project: { id, repository, mirror }, notes };
}

/** The repository around the folder; a task that only reads also works on a folder that is none, from a snapshot of it. */
async function openFolder(
  ctx: EngineContext,
  request: StartRequest,
): Promise<{ repository: Repository; folder?: string }> {
  const { dir } = request.options;
  try {
    return { repository: await inspectRepository(dir) };
  } catch (error) {
    const reads = request.recipe === 'job' && request.input.role !== undefined && !request.input.write;
    if (!reads || !(error instanceof AppError) || error.code !== 'NOT_A_REPOSITORY') throw error;
    const root = await snapshotFolder({ folders: ctx.home.folders, dir });
    return { repository: await inspectRepository(root), folder: dir };
  }
}

/** A branch cannot stand where a folder of branches must. */
async function requireRoomForBranch(mirror: Project['mirror']): Promise<void> {
  if ((await readRef(mirror, 'refs/user/heads/mh')) === undefined) return;
  throw new AppError('BRANCH_TAKEN', 'There is a branch named mh, so that none named mh/<run> can be made', {
    branch: 'mh',
  });
}

function withOptions(config: Config, options: StartOptions): Config {
  return {
    ...config,
    checks: [...config.checks, ...options.checks],
    limits: { ...config.limits, agents: options.maxParallel ?? config.limits.agents },
    budget: { ...config.budget, ...(options.budget === undefined ? {} : { run: options.budget }) },
  };
}

async function requireAvailable(ctx: EngineContext, config: Config, root: string): Promise<void> {
  const agents = ctx.parts.agents({ config, project: { id: '', root } });
  const missing: string[] = [];
  for (const name of config.routing.order) {
    const found = await agents.get(name)?.available();
    if (found?.ok) return;
    missing.push(
      `${name}: ${found?.detail ?? 'unknown'}${found?.nextStep === undefined ? '' : ` (${found.nextStep})`}`,
    );
  }
  throw new AppError('AGENT_MISSING', `No agent can work here. ${missing.join('; ')}`, { missing });
}

async function pinRoles(ctx: EngineContext, root: string): Promise<Record<string, string>> {
  const userDir = join(root, '.manyhands', 'roles');
  const roles: Record<string, string> = {};
  const names = await roleNames({ userDir });
  const texts = await Promise.all(names.map((name) => loadRole(name, { userDir })));
  const hashes = await Promise.all(texts.map((role) => ctx.store.putBlob(role.text)));
  for (const [index, name] of names.entries()) roles[name] = hashes[index] ?? '';
  return roles;
}

function requireRole(request: StartRequest, roles: Record<string, string>): void {
  const role = request.recipe === 'job' ? request.input.role : undefined;
  if (role === undefined || roles[role] !== undefined) return;
  throw new AppError('ROLE_UNKNOWN', `There is no role "${role}". Known roles: ${Object.keys(roles).join(', ')}`, {
    role,
  });
}

async function baseOf(wanted: string | undefined, project: Project): Promise<RunStart['base']> {
  const { repository, mirror } = project;
  if (wanted === undefined) return { branch: repository.branch, commit: repository.head };
  const commit = await resolve(mirror, wanted);
  if (commit === undefined) throw new AppError('BRANCH_UNKNOWN', `There is no branch or commit ${wanted}`, { wanted });
  const branch = (await readRef(mirror, `refs/user/heads/${wanted}`)) === undefined ? null : wanted;
  return { branch, commit };
}

async function notesFor(repository: Project['repository'], config: Config, base: RunStart['base']): Promise<string[]> {
  const notes: string[] = [];
  const changes = await uncommitted(repository);
  if (changes.length > 0) {
    const files = changes.length === 1 ? '1 uncommitted change is' : `${changes.length} uncommitted changes are`;
    notes.push(`Your ${files} not part of this run; it starts from commit ${base.commit.slice(0, 10)}.`);
  }
  if (config.checks.length === 0)
    notes.push('No check is configured, so the result will be called unverified; give one with --check "npm test".');
  return notes;
}
