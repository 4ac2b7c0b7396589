import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { GateCheckout } from '../gates/gate.ts';
import { git } from '../git/git.ts';
import type { Mirror } from '../git/mirror/mirror.ts';
import { createCheckout } from '../git/workspace/checkout.ts';
import type { LaunchLimits } from '../process/launch.ts';
import { removeLater, removeMatching, removeRemaining, removingFolder } from '../process/remove-later.ts';
import type { Contain } from '../process/sandbox/sandbox.ts';
import { endLeftover } from '../process/supervised.ts';
import type { Config } from '../schema/config.ts';
import { realWorld, type World } from '../world.ts';
import { namesIn } from './copy-tree.ts';
import { copyIncluded, describeIncluded } from './included.ts';
import { isReusable, type KeptDependencies } from './kept-dependencies.ts';
import { layerDependencies, layerWorkFolder } from './layer-dependencies.ts';
import { applySeed, clearSeeds, prepareSeed, type Seed } from './seed.ts';
import { type PreparationObserver, runSetup, setupsFolder } from './setup.ts';
import { showLayers } from './shown-layers.ts';

/** Files that determine what a set-up installs. */
const INSTALLER_FILES: readonly RegExp[] = [
  /^(package(-lock)?\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-(lock|workspace)\.yaml|bun\.lockb?|bunfig\.toml)$/i,
  /^(\.npmrc|\.yarnrc.*|\.pnpmfile\.\w+|deno\.(jsonc?|lock)|\.node-version|\.nvmrc|\.tool-versions|mise\.toml)$/i,
  /^([\w.-]*requirements[\w.-]*\.(txt|in)|pyproject\.toml|setup\.(py|cfg)|(poetry|uv|pdm)\.lock|Pipfile(\.lock)?|\.python-version)$/i,
  /^(Cargo\.(toml|lock)|rust-toolchain(\.toml)?|go\.(mod|sum|work)|Gemfile(\.lock)?|gems\.(rb|locked)|\.ruby-version)$/i,
  /^(composer\.(json|lock)|mix\.(exs|lock)|pubspec\.(yaml|lock)|pom\.xml|.*\.gradle(\.kts)?|gradle\.lockfile|flake\.(nix|lock))$/i,
];

type Entry = { oid: string; path: string };

export interface CheckoutOptions {
  mirror: Mirror;
  home: string;
  project: string;
  commit: string;
  /** Paths that come from another commit; those that it does not have are removed. */
  overlay?: { commit: string; paths: readonly string[] };
  config: Config['workspace'];
  lfsStorage?: string;
  /** The user's checkout: read, never written. */
  root: string;
  /** The dependencies of earlier checks and attempts, which are reused if they are unchanged. */
  kept?: KeptDependencies;
  env: Record<string, string>;
  /** Whether the programs of the checkout can be shown dependencies that are not in it. */
  canLayer?: boolean | undefined;
  /** Puts a set-up command into its sandbox. */
  contain?: Contain | undefined;
  /** What such a command may use. */
  limits?: LaunchLimits | undefined;
  signal: AbortSignal;
  observer?: PreparationObserver | undefined;
}

/** The folder of temporary checkouts for gates and set-ups. */
function checkoutsFolder(home: string): string {
  return join(home, 'checkouts');
}

/** A clean checkout of a commit with prepared dependencies and the listed ignored files, for one gate; disposing it removes it. */
export async function gateCheckout(options: CheckoutOptions, world: World = realWorld): Promise<GateCheckout> {
  const locks = await lockHash(options.mirror, options.commit, options.config.setup);
  const seed = await seedFor(options, locks, world);
  const included = await describeIncluded(options);
  const { signal, observer } = options;
  observer?.step({ kind: 'workspace', what: `checks out ${options.commit.slice(0, 8)}` });
  const checkout = await plainCheckout(options, world);
  try {
    const isLayered = await layerDependencies(seed, checkout.path, { replace: true, canLayer: options.canLayer });
    const kept = !isLayered && isReusable(seed, options.config) ? options.kept : undefined;
    await kept?.install(seed, checkout.path, { replace: true, signal, world, observer });
    if (!isLayered && kept === undefined) await applySeed(seed, checkout.path, { replace: true, signal, observer });
    await copyIncluded({ ...options, workspace: checkout.path, seeded: seed.entries });
    if (seed.runInEach) await runSetup({ ...options, cwd: checkout.path, commands: options.config.setup }, world);
    return {
      path: checkout.path,
      setup: setupHash(seed, locks, included),
      async [Symbol.asyncDispose]() {
        await kept?.keep(checkout.path, world);
        await checkout[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await checkout[Symbol.asyncDispose]();
    throw error;
  }
}

/** The hash of a checkout's set-up: evidence with another hash is stale. */
export async function setupOf(options: CheckoutOptions, world: World = realWorld): Promise<string> {
  const locks = await lockHash(options.mirror, options.commit, options.config.setup);
  return setupHash(await seedFor(options, locks, world), locks, await describeIncluded(options));
}

function setupHash(seed: Seed, locks: string, included: string): string {
  return createHash('sha256')
    .update(`${seed.key} ${locks}${included === '' ? '' : ` ${included}`}`)
    .digest('hex');
}

/** The seed for a commit's dependencies, for gates and workspaces alike. */
export async function seedForCommit(options: CheckoutOptions, world: World = realWorld): Promise<Seed> {
  const { mirror, commit, config } = options;
  // Without a set-up nothing is installed from the commit, so its lockfiles are not read.
  const locks = config.setup.length === 0 ? '' : await lockHash(mirror, commit, config.setup);
  return seedFor(options, locks, world);
}

function seedFor(options: CheckoutOptions, locks: string, world: World): Promise<Seed> {
  const { overlay: _, ...whole } = options;
  return prepareSeed({ ...options, lockHash: locks, checkout: () => plainCheckout(whole, world) }, world);
}

async function plainCheckout(options: CheckoutOptions, world: World): Promise<AsyncDisposable & { path: string }> {
  const { mirror, commit, overlay, lfsStorage, signal } = options;
  const path = join(checkoutsFolder(options.home), options.project, world.token());
  await createCheckout(
    { mirror, path, commit, signal, ...(overlay ? { overlay } : {}), ...(lfsStorage ? { lfsStorage } : {}) },
    world,
  );
  const remove = async () => {
    showLayers(path);
    for (const each of [path, layerWorkFolder(path)]) await removeLater(each, removingFolder(options.home), world);
  };
  return { path, [Symbol.asyncDispose]: remove };
}

/** Ends and removes what a killed engine was preparing; only for the engine that now holds the data directory's lock. */
export async function clearLeftovers(home: string): Promise<void> {
  for (const name of await namesIn(setupsFolder(home))) await endLeftover(join(setupsFolder(home), name));
  const removing = removingFolder(home);
  await removeMatching(checkoutsFolder(home), /./, removing);
  await removeMatching(join(home, 'workspaces'), /\.(making|removing)-|^(pool|kept)-/, removing);
  await clearSeeds(join(home, 'seeds'), removing);
  if ((await namesIn(removing)).length > 0) removeRemaining(removing);
}

/** A hash of everything in a commit that a set-up installs from: lockfiles, manifests, and the scripts that it names. */
async function lockHash(
  mirror: Pick<Mirror, 'dir'>,
  commit: string,
  setup: Config['workspace']['setup'],
): Promise<string> {
  const { stdout } = await git(['ls-tree', '-r', '-z', '--full-tree', '--end-of-options', commit], {
    gitDir: mirror.dir,
  });
  const entries = stdout.split('\0').flatMap(readEntry);
  const manifest = entries.find((entry) => entry.path === 'package.json');
  const scripts = manifest ? (await git(['cat-file', 'blob', manifest.oid], { gitDir: mirror.dir })).stdout : '';
  const named = new Set([...setup.flat(), scripts].flatMap(tokens));
  const hash = createHash('sha256');
  for (const { oid, path } of entries) {
    if (isInstallerFile(path) || named.has(path)) hash.update(`${oid} ${path}\0`);
  }
  return hash.digest('hex');
}

function isInstallerFile(path: string): boolean {
  const name = path.split('/').at(-1) ?? '';
  return /(^|\/)patches\//.test(path) || INSTALLER_FILES.some((pattern) => pattern.test(name));
}

function readEntry(line: string): Entry[] {
  const tab = line.indexOf('\t');
  const oid = line.slice(0, tab).split(' ')[2];
  return tab < 0 || oid === undefined ? [] : [{ oid, path: line.slice(tab + 1) }];
}

function tokens(text: string): string[] {
  return text.split(/[\s;&|()<>"'`=,]+/).map((token) => token.replace(/^\.\//, ''));
}
