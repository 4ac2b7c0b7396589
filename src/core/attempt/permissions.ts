import { AppError } from '../../errors.ts';
import type { Config } from '../../schema/config.ts';
import type { ContainmentRecord } from '../../schema/event.ts';

/** What a program is started for. */
export type Purpose = 'agent' | 'check' | 'setup' | 'application';

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

/** Whether this machine has a sandbox, and whether that can restrict the network. */
type Availability = { kind: 'available'; networkProblem?: string } | { kind: 'none'; reason: string };

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
  { sandbox, workspace, network }: Pick<Config, 'sandbox' | 'workspace' | 'network'>,
  availability: Availability,
): Containment {
  const reason = uncontainedReason(sandbox, workspace, availability);
  const openNetwork = availability.kind === 'none' ? undefined : openNetworkReason(network, availability);
  const problem = reason ?? openNetwork;
  if (sandbox === 'require' && problem !== undefined)
    throw new AppError('SANDBOX_UNAVAILABLE', `The settings require a sandbox: ${problem}`, { reason: problem });
  if (reason !== undefined) return { kind: 'none', record: { level: 'none', missing: [], reason } };
  if (openNetwork === undefined) return { kind: 'sandbox', record: { level: 'full', missing: [] } };
  return { kind: 'sandbox', record: { level: 'partly', missing: ['network'], reason: openNetwork } };
}

/** How an attempt was contained, for people; nothing for records of earlier versions. */
export function containmentText(record: ContainmentRecord | undefined): string {
  if (record === undefined) return '';
  const { level, missing, reason } = record;
  if (level === 'none') return `not contained: ${reason ?? 'no reason is recorded'}`;
  if (missing.length === 0) return 'contained';
  return `contained, except ${missing.join(', ')}${reason === undefined ? '' : ` (${reason})`}`;
}

/** Why programs have the network of the machine, if they have. */
function openNetworkReason(
  { mode }: Config['network'],
  { networkProblem }: { networkProblem?: string },
): string | undefined {
  if (mode === 'open') return 'network.mode is open in the settings';
  return networkProblem === undefined ? undefined : `the network cannot be restricted: ${networkProblem}`;
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
