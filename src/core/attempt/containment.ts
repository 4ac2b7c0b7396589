import { AppError } from '../../errors.ts';
import type { Config } from '../../schema/config.ts';
import type { ContainmentPart, ContainmentRecord } from '../../schema/containment.ts';

/** What this machine can restrict: whether it has a sandbox, and the parts that do not follow from that alone. */
export type MachineContainment = {
  sandbox: { kind: 'available' } | { kind: 'none'; reason: string };
  network: ContainmentPart;
  resources: ContainmentPart;
  /** Where programs see those of others; without it they see only their own. */
  processes?: ContainmentPart;
  /** A program cannot have a loopback of its own here: it gets that of the machine, or none. */
  sharesLoopback?: boolean;
};

/** How the programs of a run are contained: by a sandbox, or without one. */
export type Containment = {
  kind: 'sandbox' | 'none';
  record: ContainmentRecord;
  /** `listed`: only the hosts of its network session; `loopback`: these, and the loopback of the machine. */
  network: 'listed' | 'loopback' | 'shared';
};

/** What `sandbox: require` demands before anything starts. */
export const REQUIRED_PARTS: readonly string[] = ['files', 'network'];

/** What of the loopback a program has where it cannot have its own. */
const SHARED_LOOPBACK =
  'outgoing connections are limited to the hosts in the settings, but the loopback interface is shared with this machine; sandbox: require denies that';

type ContainmentSettings = Pick<Config, 'sandbox' | 'workspace' | 'network'>;

/** How programs are contained under these settings; refuses where the settings require more than there is. */
export function containmentOf(settings: ContainmentSettings, machine: MachineContainment): Containment {
  const found = possibleContainment(settings, machine);
  if (settings.sandbox === 'require') requireParts(found.record);
  return found;
}

/** How programs would be contained under these settings, whether or not that is what they require. */
export function possibleContainment(
  { sandbox, workspace, network: { mode } }: ContainmentSettings,
  machine: MachineContainment,
): Containment {
  const reason = uncontainedReason(sandbox, workspace, machine.sandbox);
  const { resources } = machine;
  const hasLoopback = machine.sharesLoopback === true && sandbox !== 'require';
  const network =
    mode === 'open'
      ? { contained: false, how: 'network.mode is open in the settings' }
      : hasLoopback && machine.network.contained
        ? { contained: false, how: SHARED_LOOPBACK }
        : machine.network;
  const record =
    reason === undefined
      ? containmentRecord({
          files: { contained: true, how: 'it sees only its own task' },
          processes: machine.processes ?? { contained: true, how: 'it sees only its own processes, which end with it' },
          network,
          resources,
        })
      : containmentRecord({
          files: { contained: false, how: reason },
          processes: { contained: false, how: reason },
          network: { contained: false, how: reason },
          resources,
        });
  const isListed = reason === undefined && mode !== 'open' && machine.network.contained;
  return {
    kind: reason === undefined ? 'sandbox' : 'none',
    record,
    network: isListed ? (hasLoopback ? 'loopback' : 'listed') : 'shared',
  };
}

/** Whether the sandbox of an agent's vendor can start where the agent runs; `disabled`: its permissions do without it. */
export type OwnSandboxTrial = { kind: 'works' } | { kind: 'disabled' } | { kind: 'fails'; reason: string };

/**
 * Whether the sandbox of an agent's vendor is used: in addition to ours where it can start in it, and not where it cannot.
 * Without ours it is used in any case, so that no agent runs uncontained because of an error.
 */
export function ownSandboxUse(
  kind: Containment['kind'],
  trial: OwnSandboxTrial,
): NonNullable<ContainmentRecord['ownSandbox']> {
  if (trial.kind === 'disabled') return { used: false, how: 'permission is bypass in the settings' };
  if (kind === 'none') return { used: true, how: 'it is the only sandbox' };
  if (trial.kind === 'works') return { used: true, how: 'in addition to that of Manyhands' };
  return { used: false, how: `it cannot start in that of Manyhands, which replaces it: ${trial.reason}` };
}

/** How an attempt was contained, for people; nothing for records of earlier versions. */
export function containmentText(record: ContainmentRecord | undefined): string {
  if (record === undefined) return '';
  const { ownSandbox } = record;
  const own = ownSandbox === undefined || ownSandbox.used ? '' : `; without its own sandbox: ${ownSandbox.how}`;
  return `${levelText(record)}${own}`;
}

function levelText({ level, missing, reason }: ContainmentRecord): string {
  switch (level) {
    case 'full':
      return 'fully contained';
    case 'partly':
      return `partly contained: not ${missing.join(', ')}`;
    case 'none':
      return `not contained: ${reason ?? 'no reason is recorded'}`;
  }
}

/** Each part with what restricts it, or why nothing does, parts with the same text together; nothing for records of earlier versions. */
export function containmentDetails({ parts = {}, ownSandbox, dependencies }: ContainmentRecord): string[] {
  const byText = Map.groupBy(Object.entries(parts), ([, { contained, how }]) =>
    contained ? how : `not contained: ${how}`,
  );
  const details = [...byText].map(([text, same]) => `${same.map(([name]) => name).join(', ')}: ${text}`);
  if (dependencies === 'overlay') details.push('dependencies: below its workspace, by an overlay');
  if (ownSandbox === undefined) return details;
  return [...details, `own sandbox of the agent: ${ownSandbox.used ? '' : 'not used: '}${ownSandbox.how}`];
}

function containmentRecord(parts: Record<string, ContainmentPart>): ContainmentRecord {
  const missing = Object.entries(parts).flatMap(([name, { contained }]) => (contained ? [] : [name]));
  if (parts.files?.contained !== true) return { level: 'none', missing, reason: parts.files?.how ?? '', parts };
  return { level: missing.length === 0 ? 'full' : 'partly', missing, parts };
}

function requireParts({ missing, parts = {} }: ContainmentRecord): void {
  const [lacking] = REQUIRED_PARTS.filter((name) => missing.includes(name));
  if (lacking === undefined) return;
  const reason = parts[lacking]?.how ?? '';
  const message = `The settings require a sandbox, and ${lacking} would not be contained: ${reason}`;
  throw new AppError('SANDBOX_UNAVAILABLE', message, { reason, part: lacking });
}

function uncontainedReason(
  mode: Config['sandbox'],
  { docker }: Config['workspace'],
  sandbox: MachineContainment['sandbox'],
): string | undefined {
  if (mode === 'off') return 'sandbox is off in the settings';
  if (docker !== undefined) return 'the commands of this project run in a Docker service, which a sandbox cannot reach';
  return sandbox.kind === 'none' ? sandbox.reason : undefined;
}
