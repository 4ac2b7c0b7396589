import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { GateCheckout } from '../gates/gate.ts';
import type { Mirror } from '../git/mirror/mirror.ts';
import { createCheckout } from '../git/workspace/checkout.ts';
import type { Config } from '../schema/config.ts';
import { realWorld, type World } from '../world.ts';
import { removeTree } from './copy-tree.ts';
import { lockHash } from './lock-hash.ts';
import { applySeed, prepareSeed, type Seed } from './seed.ts';
import { runSetup } from './setup.ts';

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
  env: Record<string, string>;
  signal: AbortSignal;
}

/** The folder of temporary checkouts for gates and set-ups. */
export function checkoutsFolder(home: string): string {
  return join(home, 'checkouts');
}

/** A clean checkout of a commit with prepared dependencies, for one gate; disposing it removes it. */
export async function gateCheckout(options: CheckoutOptions, world: World = realWorld): Promise<GateCheckout> {
  const locks = await lockHash(options.mirror, options.commit, options.config.setup);
  const seed = await seedFor(options, locks, world);
  const checkout = await plainCheckout(options, world);
  try {
    await applySeed(seed, checkout.path, { replace: true, signal: options.signal });
    if (seed.runInEach) await runSetup({ ...options, cwd: checkout.path, commands: options.config.setup }, world);
  } catch (error) {
    await checkout[Symbol.asyncDispose]();
    throw error;
  }
  return { ...checkout, setup: setupHash(seed, locks) };
}

/** The hash of a checkout's set-up: evidence with another hash is stale. */
export async function setupOf(options: CheckoutOptions, world: World = realWorld): Promise<string> {
  const locks = await lockHash(options.mirror, options.commit, options.config.setup);
  return setupHash(await seedFor(options, locks, world), locks);
}

function setupHash(seed: Seed, locks: string): string {
  return createHash('sha256').update(`${seed.key} ${locks}`).digest('hex');
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
  return { path, [Symbol.asyncDispose]: () => removeTree(path) };
}
