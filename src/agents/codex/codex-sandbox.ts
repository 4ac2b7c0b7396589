import { join } from 'node:path';
import type { Permission } from '../../schema/config/agent.ts';
import type { Assignment, OwnSandbox, SandboxChoice, SandboxTrial } from '../agent.ts';

type Sandbox = 'read-only' | 'workspace-write' | 'none';

const SANDBOX: Readonly<Record<Permission, Sandbox>> = {
  default: 'workspace-write',
  acceptEdits: 'workspace-write',
  dontAsk: 'workspace-write',
  plan: 'read-only',
  bypass: 'none',
};

/** Starts its sandbox with a command that does nothing. */
const TRIAL = ['sandbox', '-c', 'sandbox_mode="workspace-write"', '--', '/bin/sh', '-c', ':'];
/** What it writes where its sandbox cannot start, on Linux and macOS; other errors say nothing about its sandbox. */
const PROBLEM = /^(bwrap: .+|.*sandbox_apply: .+|.*\bLandlock\w*\b.+|.*sandbox restrictions\b.+)$/m;
/** It looks for its helper in its home, where it creates none below the temporary folder. */
const WITHOUT_HELPER = /execvp codex-linux-sandbox/;

/** Which sandbox of its own an attempt of Codex gets: a read-only task may write nowhere, except a verifier to files that are discarded. */
export function codexSandboxOf({ access, settings }: SandboxChoice): Sandbox {
  if (access === 'write') return SANDBOX[settings.permission];
  return settings.scratchTools?.includes('Write') === true ? 'workspace-write' : 'read-only';
}

/** The arguments for its sandbox, which allows writing to `.git` only if that is listed; none where ours replaces it. */
export function sandboxArguments(assignment: Assignment): string[] {
  const { access, workspace, settings, isSandboxReplaced = false } = assignment;
  const kind = isSandboxReplaced ? 'none' : codexSandboxOf(assignment);
  if (kind === 'none') return ['--dangerously-bypass-approvals-and-sandbox'];
  if (kind === 'read-only' || access === 'read') return ['--sandbox', kind];
  const folders = [join(workspace, '.git'), ...settings.addDirs];
  return ['--sandbox', kind, ...folders.flatMap((folder) => ['--add-dir', folder])];
}

/** Its own sandbox, and how to find out whether that can start. */
export function codexOwnSandbox(own: {
  program(): string;
  login(env: SandboxTrial['env']): SandboxTrial['login'];
}): OwnSandbox {
  return {
    isUsed: (attempt) => codexSandboxOf(attempt) !== 'none',
    trial: (env) => ({ command: [own.program(), ...TRIAL], env, login: own.login(env) }),
    problem: (output) => {
      const reason = PROBLEM.exec(output)?.[0]?.trim();
      if (reason === undefined) return undefined;
      if (WITHOUT_HELPER.test(reason))
        return { reason, fix: 'Move its home (CODEX_HOME) out of the temporary folder.' };
      return { reason, fix: 'Allow user namespaces on this machine.' };
    },
  };
}
