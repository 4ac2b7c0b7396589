import { AppError } from '../../errors.ts';
import type { Config } from '../../schema/config.ts';
import type { ContainmentRecord } from '../../schema/event.ts';

/** What a program is started for. */
type Purpose = 'agent' | 'check' | 'setup' | 'application';

/** The paths that a program of a task may read, and those that it may also write; it has access to no other path of the user. */
export type Permissions = { read: string[]; write: string[] };

export type PermissionRequest = {
  purpose: Purpose;
  /** The folder in which it works. */
  workspace: string;
  /** The objects of the project's mirror, which the workspace borrows. */
  objects: string;
  paths: Config['sandboxPaths'];
  /** Of an agent: the folder with its prompt, and the files of its own login and sessions. */
  agent?: { folder: string; login: readonly string[] };
};

/** How the programs of a run are contained: by a sandbox, or not and why. */
export type Containment = { kind: 'sandbox'; record: ContainmentRecord } | { kind: 'none'; record: ContainmentRecord };

/** Whether this machine has a sandbox. */
type Availability = { kind: 'available' } | { kind: 'none'; reason: string };

/** What the sandbox does not restrict: every program has the network of the machine. */
const NOT_CONTAINED = ['network'];

/** The permissions of a program, by what it is for; only an agent gets its prompt and its login. */
export function permissionsFor({ purpose, workspace, objects, paths, agent }: PermissionRequest): Permissions {
  const own = purpose === 'agent' && agent !== undefined ? agent : { folder: undefined, login: [] };
  return {
    read: [objects, ...(own.folder === undefined ? [] : [own.folder]), ...paths.read],
    write: [workspace, ...own.login, ...paths.write],
  };
}

/** How programs are contained under these settings; refuses where a sandbox is required and missing. */
export function containmentOf(
  { sandbox, workspace }: Pick<Config, 'sandbox' | 'workspace'>,
  availability: Availability,
): Containment {
  const reason = uncontainedReason(sandbox, workspace, availability);
  if (reason === undefined) return { kind: 'sandbox', record: { level: 'partly', missing: NOT_CONTAINED } };
  if (sandbox !== 'require') return { kind: 'none', record: { level: 'none', missing: [], reason } };
  throw new AppError('SANDBOX_UNAVAILABLE', `The settings require a sandbox: ${reason}`, { reason });
}

/** How an attempt was contained, for people; nothing for records of earlier versions. */
export function containmentText(record: ContainmentRecord | undefined): string {
  if (record === undefined) return '';
  const { level, missing, reason } = record;
  if (level === 'none') return `not contained: ${reason ?? 'no reason is recorded'}`;
  return missing.length === 0 ? 'contained' : `contained, except ${missing.join(', ')}`;
}

function uncontainedReason(
  mode: Config['sandbox'],
  { docker }: Config['workspace'],
  availability: Availability,
): string | undefined {
  if (mode === 'off') return 'sandbox is off in the settings';
  if (docker !== undefined) return 'the commands of this project run in a Docker service, which a sandbox cannot reach';
  return availability.kind === 'none' ? availability.reason : undefined;
}
