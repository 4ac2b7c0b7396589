import { hostsInText } from '../../schema/config/network.ts';
import type { Config } from '../../schema/config.ts';
import type { Purpose } from './permissions.ts';

/** A host that a program may reach; `isPrivate`: the person named it with its port, so that it may also be this machine or one of the private network. */
type ReachableHost = { host: string; ports?: number[]; isPrivate?: boolean; isVendor?: boolean };

/** The network of a program: that of the machine, or its own with these hosts; without any it has only its loopback. */
export type NetworkAccess = { kind: 'shared' } | { kind: 'own'; hosts: ReachableHost[] };

export type NetworkRequest = {
  purpose: Purpose;
  network: Config['network'];
  /** The package registries and the forge of the project, from its base. */
  project: readonly string[];
  /** Of an agent: the hosts of its vendor, the addresses in variables that the person has set, and the port of the application that it inspects. */
  agent?: { vendor: readonly string[]; variables: readonly string[]; applicationPort?: number | undefined };
};

/** What a program may reach, by what it is for. Applications reach what checks do. */
export function networkFor({ purpose, network, project, agent }: NetworkRequest): NetworkAccess {
  const { mode, allow, derived } = network;
  if (mode === 'open') return { kind: 'shared' };
  const port = agent?.applicationPort;
  const inspected = port === undefined ? [] : [`127.0.0.1:${port}`, `localhost:${port}`];
  if (mode === 'none') return { kind: 'own', hosts: hostsOf(inspected, true) };
  const isCheck = purpose === 'check' || purpose === 'application';
  const listed = [...(derived?.trusted ?? []), ...(isCheck ? [] : project)];
  const vendor = hostsOf(agent?.vendor ?? [], false).map((host) => ({ ...host, isVendor: true }));
  const named = purpose === 'agent' ? [...(derived?.named ?? []), ...inspected, ...addressesIn(agent?.variables)] : [];
  return { kind: 'own', hosts: [...hostsOf(listed, false), ...vendor, ...hostsOf([...allow, ...named], true)] };
}

/** The ports of the machine's own loopback that a program may reach. */
export function loopbackPorts(access: NetworkAccess): number[] {
  if (access.kind === 'shared') return [];
  const local = access.hosts.filter(({ host, isPrivate }) => isPrivate && /^(127\.0\.0\.1|localhost)$/.test(host));
  return [...new Set(local.flatMap(({ ports = [] }) => ports))];
}

function addressesIn(texts: readonly string[] = []): string[] {
  return texts.flatMap((text) => hostsInText(text));
}

/** Hosts as the settings write them; only a person's own, with their port, may be private. */
function hostsOf(texts: readonly string[], isOwn: boolean): ReachableHost[] {
  return [...new Set(texts)].map((text) => {
    const [, name = text, digits] = /^(.*):(\d{1,5})$/.exec(text) ?? [];
    const host = name.replace(/^\[|\]$/g, '').toLowerCase();
    if (digits === undefined) return { host };
    return { host, ports: [Number(digits)], ...(isOwn ? { isPrivate: true } : {}) };
  });
}
