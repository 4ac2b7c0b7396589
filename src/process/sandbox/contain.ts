import { bubblewrapCommand } from './bubblewrap.ts';
import { bubblewrapAvailability } from './bubblewrap-trial.ts';
import { runtimeAvailability, runtimeCommand } from './runtime.ts';
import type { AvailableSandbox, ContainedProgram, SandboxAvailability, SandboxPaths } from './sandbox.ts';

/** What can contain programs on this machine, tried once. */
export function sandboxAvailability(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): Promise<SandboxAvailability> {
  if (platform === 'linux') return bubblewrapAvailability(env);
  if (platform === 'darwin') return runtimeAvailability();
  return Promise.resolve({ kind: 'none', reason: `there is no sandbox for ${platform}` });
}

/** The command inside a sandbox that shows the system, the toolchains on its PATH, the program itself and these paths. */
export function sandboxCommand(sandbox: AvailableSandbox, program: ContainedProgram, paths: SandboxPaths): string[] {
  return sandbox.backend === 'bubblewrap'
    ? bubblewrapCommand(sandbox.program, program, paths)
    : runtimeCommand(program, paths);
}
