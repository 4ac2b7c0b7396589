import { z } from 'zod';
import { type FleetHost, HOSTS_RELEASE, isReleaseAccepted } from '../../store/fleet.ts';
import { operation } from '../operation.ts';

const HostView = z.object({
  name: z.string(),
  status: z
    .enum(['up', 'draining', 'lost', 'incompatible'])
    .describe(
      'lost: it has ended, or did not renew its lease in time; incompatible: it differs by more than one release from this program, and gets no orders.',
    ),
  slots: z.number().int(),
  busy: z.number().int().describe('How many attempts it performs now.'),
  attempts: z.array(z.string()).describe('The attempts that it performs: run, task and number.'),
  agents: z.array(z.string()),
  labels: z.array(z.string()),
  memoryBytes: z.number().describe('Free memory when it registered.'),
  diskBytes: z.number().describe('Free disk space when it registered.'),
  version: z.string(),
  machine: z.string(),
  since: z.iso.datetime().describe('When it registered.'),
});
export type HostView = z.infer<typeof HostView>;

/** Lists the machines that perform attempts. */
export const listHosts = operation({
  name: 'list-hosts',
  where: 'anywhere',
  toleratesDamage: true,
  summary: 'List the hosts of the installation, and what runs where',
  http: 'GET /api/hosts',
  allow: ['viewer', 'operator'],
  input: z.object({}),
  output: z.array(HostView),
  run: async ({ env }) => {
    const url = env.MANYHANDS_DATABASE_URL;
    if (!url) return [];
    const { inspectHosts } = await import('../../store/postgres/hosts/inspect-hosts.ts');
    return (await inspectHosts(url)).map(({ attempts, ...found }) => ({
      ...viewOf(found),
      status: statusOf(found),
      busy: attempts.length,
      attempts,
      since: new Date(found.registeredAt).toISOString(),
    }));
  },
});

function viewOf({ name, slots, agents, labels, memoryBytes, diskBytes, version, machine }: FleetHost) {
  return { name, slots, agents, labels, memoryBytes, diskBytes, version, machine };
}

function statusOf({ instance, expiresInMs, release, isDraining }: FleetHost): HostView['status'] {
  if (instance === null || expiresInMs <= 0) return 'lost';
  if (!isReleaseAccepted(release, HOSTS_RELEASE)) return 'incompatible';
  return isDraining ? 'draining' : 'up';
}
