import { z } from 'zod';
import { HostName } from '../../store/fleet.ts';
import { operation } from '../operation.ts';
import { requireDatabase } from './require-database.ts';

/** Creates the login of a host. */
export const addHost = operation({
  name: 'add-host',
  where: 'anywhere',
  toleratesDamage: true,
  summary: 'Create the login of a host, or replace its token; the URL is shown once',
  http: 'POST /api/hosts',
  allow: ['operator'],
  input: z.object({ name: HostName }),
  output: z.object({
    name: z.string(),
    url: z.string().describe('The value of MANYHANDS_DATABASE_URL for this host, with its token. It is not stored.'),
  }),
  run: async ({ env, world }, { name }) => {
    const url = requireDatabase(env, name);
    const hosts = await import('../../store/postgres/hosts/inspect-hosts.ts');
    return { name, url: await hosts.addHost(url, name, world) };
  },
});
