import { appendFile, lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../errors.ts';
import type { LaunchLimits } from '../process/launch.ts';
import type { Contain } from '../process/sandbox/sandbox.ts';
import type { Config } from '../schema/config.ts';
import { crashpoint, realWorld, type World } from '../world.ts';
import { SERVICE_SCRIPT, writeServiceScript } from './docker.ts';
import { copyIncluded } from './included.ts';
import { isReusable, type KeptDependencies } from './kept-dependencies.ts';
import { layerDependencies } from './layer-dependencies.ts';
import { applySeed, type Seed } from './seed.ts';
import { findCreatedPaths, listPaths } from './seed-manifest.ts';
import { type PreparationObserver, runSetup } from './setup.ts';

export interface Provision {
  home: string;
  workspace: string;
  /** The user's checkout: read, never written. */
  root: string;
  config: Config['workspace'];
  seed: Seed;
  /** The dependencies of earlier attempts and checks, which are reused if they are unchanged. */
  kept?: KeptDependencies | undefined;
  /** Whether the programs of the workspace can be shown dependencies that are not in it. */
  canLayer?: boolean | undefined;
  env: Record<string, string>;
  /** Puts a set-up command into its sandbox. */
  contain?: Contain | undefined;
  /** What such a command may use. */
  limits?: LaunchLimits | undefined;
  signal: AbortSignal;
  observer?: PreparationObserver | undefined;
}

export interface Provisioned {
  /** Paths that we put there; they are never committed. */
  excluded: string[];
}

/** Prepares a fresh clone for work: dependencies, listed ignored files, the service script, set-up commands. */
export async function provision(options: Provision, world: World = realWorld): Promise<Provisioned> {
  const { workspace, seed, config, signal, observer } = options;
  crashpoint('workspace.provisioning');
  const isLayered = await layerDependencies(seed, workspace, { replace: false, canLayer: options.canLayer });
  const kept = isReusable(seed, config) ? options.kept : undefined;
  const how = { replace: false, signal, observer };
  const copy = () => kept?.install(seed, workspace, { ...how, world }) ?? applySeed(seed, workspace, how);
  const seeded = isLayered ? seed.entries : await copy();
  const copied = await copyIncluded({ ...options, seeded });
  if (config.docker !== undefined) await writeServiceScript(workspace, config.docker);
  const script = config.docker === undefined ? [] : [SERVICE_SCRIPT];
  const created = seed.runInEach ? await setUp(options, world) : [];
  const excluded = [...seeded, ...copied, ...script, ...created];
  await excludePaths(workspace, excluded);
  crashpoint('workspace.provisioned');
  return { excluded };
}

/** Runs the teardown commands of a workspace that is about to be removed. */
export async function teardown(options: Omit<Provision, 'seed' | 'root'>, world: World = realWorld): Promise<void> {
  const { workspace, config } = options;
  crashpoint('workspace.tearing-down');
  await runSetup({ ...options, cwd: workspace, commands: config.teardown }, world);
  crashpoint('workspace.torn-down');
}

async function setUp(options: Provision, world: World): Promise<string[]> {
  const before = await listPaths(options.workspace);
  await runSetup({ ...options, cwd: options.workspace, commands: options.config.setup }, world);
  return findCreatedPaths(options.workspace, before);
}

/** Makes the workspace's own git ignore these paths, so that an agent's `git add -A` does not commit them. */
async function excludePaths(workspace: string, paths: readonly string[]): Promise<void> {
  // A line break cannot be written in an exclude file; such a path is still excluded when the work is saved.
  const lines = paths.filter((path) => !/[\n\r]/.test(path)).map((path) => `/${escapePattern(path)}\n`);
  if (lines.length === 0) return;
  const folder = join(workspace, '.git');
  if (!(await lstat(folder)).isDirectory())
    throw new AppError('WORKSPACE_CHANGED', `${folder} is no longer a folder`, { workspace });
  await mkdir(join(folder, 'info'), { recursive: true });
  await appendFile(join(folder, 'info', 'exclude'), `\n${lines.join('')}`);
}

function escapePattern(path: string): string {
  return path.replace(/[\\*?[\]!#]/g, '\\$&').replace(/ +$/, (spaces) => spaces.replaceAll(' ', '\\ '));
}
