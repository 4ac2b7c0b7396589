import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../errors.ts';
import { run } from '../run.ts';
import { bubblewrapCommand } from './bubblewrap.ts';
import { isMountable, NO_OVERLAYS, type Overlays } from './overlays.ts';
import type { ContainedProgram, SandboxAvailability, SandboxPaths } from './sandbox.ts';

/** A folder of every system, to try overlays with. */
const ANY_FOLDER = '/usr';
const PROBE_MS = 10_000;
const NOTHING = { command: ['/bin/sh', '-c', ':'], cwd: '/' };

const known = new Map<string, Promise<SandboxAvailability>>();

/** Whether bubblewrap is installed and can create namespaces here, tried once; MANYHANDS_BWRAP names it if it is not on PATH. */
export function bubblewrapAvailability(env: NodeJS.ProcessEnv): Promise<SandboxAvailability> {
  const program = env.MANYHANDS_BWRAP ?? 'bwrap';
  const key = `${program}\0${env.PATH ?? ''}`;
  const found = known.get(key) ?? probe(program, env.PATH ?? '');
  known.set(key, found);
  return found;
}

const overlaysTried = new Map<string, Promise<Overlays>>();

/** Those of these folders that can be shown copy-on-write, and how, tried once; `staging` is an own folder in which they are mounted. */
export function overlayFolders(bwrap: string, folders: readonly string[], staging: string): Promise<Overlays> {
  const key = [bwrap, staging, ...folders].join('\0');
  const found = overlaysTried.get(key) ?? tryOverlays(bwrap, folders, staging);
  overlaysTried.set(key, found);
  return found;
}

async function tryOverlays(bwrap: string, folders: readonly string[], staging: string): Promise<Overlays> {
  await mkdir(staging, { recursive: true, mode: 0o700 });
  const mountable = isMountable(staging) ? [ANY_FOLDER, ...folders.filter(isMountable)] : [];
  for (const [by, tried] of [['mounts', mountable] as const, ['bubblewrap', [ANY_FOLDER, ...folders]] as const]) {
    const usable: string[] = [];
    for (const path of tried) {
      const overlaid: Overlays = { by, folders: [{ path, lower: [path] }], staging };
      if ((await trialProblem(bwrap, { ...NOTHING, env: { PATH: '/usr/bin:/bin' } }, { overlaid })) === undefined)
        usable.push(path);
      // Where not even this one can be, no other can.
      else if (path === ANY_FOLDER) break;
    }
    const shown = usable.filter((path) => path !== ANY_FOLDER).map((path) => ({ path, lower: [path] }));
    if (usable.length > 0) return { by, folders: shown, staging };
  }
  return { ...NO_OVERLAYS, staging };
}

async function probe(program: string, path: string): Promise<SandboxAvailability> {
  if (program === '') return { kind: 'none', reason: 'MANYHANDS_BWRAP is empty' };
  const env = { PATH: path };
  try {
    const found = resolveProgram(program, path);
    const version = await run([found, '--version'], { env, timeoutMs: PROBE_MS });
    const available = {
      kind: 'available',
      backend: 'bubblewrap',
      program: found,
      version: version.stdout.toString().trim(),
    } as const;
    const networkProblem = await trialProblem(found, { ...NOTHING, env }, { network: {} });
    if (networkProblem === undefined) return available;
    const problem = await trialProblem(found, { ...NOTHING, env }, {});
    if (problem === undefined) return { ...available, networkProblem };
    return { kind: 'none', reason: `bubblewrap does not work here: ${problem}` };
  } catch (error) {
    if (error instanceof AppError) return { kind: 'none', reason: error.message };
    return { kind: 'none', reason: `bubblewrap cannot be started: ${String(error)}` };
  }
}

/** Why a program cannot be contained in this way, if it cannot. */
export async function trialProblem(
  bwrap: string,
  trial: ContainedProgram,
  paths: Pick<SandboxPaths, 'network' | 'overlaid'>,
): Promise<string | undefined> {
  const command = bubblewrapCommand(bwrap, trial, { read: [], write: [], hidden: [], ...paths });
  const { code, stderr } = await run(command, { env: trial.env, timeoutMs: PROBE_MS });
  if (code === 0) return undefined;
  return stderr.trim().split('\n').at(-1)?.slice(0, 300) || `it ended with ${code}`;
}

function resolveProgram(program: string, path: string): string {
  if (program.includes('/')) return program;
  const folder = path.split(':').find((each) => each.startsWith('/') && existsSync(join(each, program)));
  if (folder !== undefined) return join(folder, program);
  throw new AppError('SANDBOX_UNAVAILABLE', 'bubblewrap (bwrap) is not installed');
}
