import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROXY_FILES } from '../network/session-rules.ts';
import { run } from '../run.ts';
import type { RuntimeSettings } from './runtime-config.ts';
import type { ContainedProgram, SandboxAvailability, SandboxPaths } from './sandbox.ts';
import { programFolders, toolchainFolders } from './toolchains.ts';

/** What the sandbox runtime uses on macOS. */
const SANDBOX_EXEC = '/usr/bin/sandbox-exec';
const VERSION = 'sandbox-runtime 0.0.83';
const PROBE_MS = 20_000;

let known: Promise<SandboxAvailability> | undefined;

/** Whether the sandbox runtime can contain programs here, tried once. */
export function runtimeAvailability(): Promise<SandboxAvailability> {
  known ??= probe();
  return known;
}

async function probe(): Promise<SandboxAvailability> {
  if (!existsSync(SANDBOX_EXEC)) return { kind: 'none', reason: `${SANDBOX_EXEC} does not exist` };
  const env = { PATH: '/usr/bin:/bin' };
  const trial = { command: [process.execPath, '-e', '0'], cwd: '/', env };
  const command = runtimeCommand(trial, { read: [], write: [], hidden: [], network: {} });
  const { code, stderr } = await run(command, { env, timeoutMs: PROBE_MS });
  if (code === 0) return { kind: 'available', backend: 'runtime', program: SANDBOX_EXEC, version: VERSION };
  const problem = stderr.trim().split('\n').at(-1)?.slice(0, 300) || `it ended with ${code}`;
  return { kind: 'none', reason: `the sandbox runtime does not work here: ${problem}` };
}

/**
 * The command inside a sandbox of the sandbox runtime. That has one configuration for each process, so each program has a
 * process of its own, which contains it, passes its connections on to its network session, and ends with it.
 */
export function runtimeCommand(program: ContainedProgram, paths: SandboxPaths): string[] {
  return [process.execPath, runtimeProgram(), JSON.stringify(runtimeSettings(program, paths))];
}

/** What the process that contains a program needs to know. */
export function runtimeSettings(program: ContainedProgram, paths: SandboxPaths): RuntimeSettings {
  const { command, cwd, env, programs = [] } = program;
  const home = env.HOME ?? homedir();
  const hidden = [home, homedir(), ...paths.hidden];
  const { network, copied = [] } = paths;
  return {
    command: [...command],
    cwd,
    home,
    read: [...toolchainFolders(env, hidden), ...programFolders(programs, hidden), ...paths.read],
    write: [...paths.write],
    copied: copied.map((folder) => ({ ...folder })),
    ...(network === undefined
      ? {}
      : {
          network: {
            sharesLoopback: network.sharesLoopback === true,
            ...(network.proxy === undefined ? {} : { socket: join(network.proxy, PROXY_FILES.socket) }),
          },
        }),
  };
}

/** The built program if there is one, else its source, which Node runs directly. */
function runtimeProgram(): string {
  const built = fileURLToPath(new URL('./sandbox-runtime.js', import.meta.url));
  return existsSync(built) ? built : fileURLToPath(new URL('./runtime-program.ts', import.meta.url));
}
