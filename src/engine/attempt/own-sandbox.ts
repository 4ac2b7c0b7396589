import type { OwnSandbox } from '../../agents/agent.ts';
import { run } from '../../process/run.ts';
import { sandboxCommand } from '../../process/sandbox/contain.ts';
import type { AvailableSandbox } from '../../process/sandbox/sandbox.ts';
import { seccompFile } from '../../process/sandbox/seccomp.ts';

/** Why the sandbox of a vendor cannot start, and what to do about it. */
type OwnSandboxProblem = { reason: string; fix: string };

type TrialOptions = {
  /** Our sandbox, in which the other one is tried; undefined: without ours. */
  sandbox: AvailableSandbox | undefined;
  /** An existing folder in which it is tried. */
  folder: string;
  dataFolder: string;
};

const TRIAL_MS = 20_000;

const tried = new Map<string, Promise<OwnSandboxProblem | undefined>>();

/** Why the sandbox of an agent's vendor cannot start here, tried once for each program and login; undefined where it can, or where the trial failed for another reason. */
export function ownSandboxProblem(
  own: OwnSandbox,
  env: Record<string, string>,
  place: TrialOptions,
): Promise<OwnSandboxProblem | undefined> {
  const trial = own.trial(env);
  const key = JSON.stringify([place.sandbox?.program ?? '', trial.command, trial.login]);
  const found = tried.get(key) ?? tryOwnSandbox(own, trial, place);
  tried.set(key, found);
  return found;
}

async function tryOwnSandbox(
  own: OwnSandbox,
  { command, env, login }: ReturnType<OwnSandbox['trial']>,
  { sandbox, folder, dataFolder }: TrialOptions,
): Promise<OwnSandboxProblem | undefined> {
  const seccomp = sandbox === undefined ? undefined : await seccompFile(dataFolder);
  const copied = login.filter((each) => typeof each !== 'string');
  const shown = { read: [], write: [folder], hidden: [dataFolder], copied, seccomp, network: {} };
  const contained =
    sandbox === undefined
      ? command
      : sandboxCommand(sandbox, { command, cwd: folder, env, programs: command.slice(0, 2) }, shown);
  const ended = await run(contained, { cwd: folder, env, timeoutMs: TRIAL_MS }).catch((error: unknown) => {
    // A program that cannot be started is reported as such by the attempt itself.
    return { code: null, stderr: String(error) };
  });
  return ended.code === 0 ? undefined : own.problem(ended.stderr);
}
