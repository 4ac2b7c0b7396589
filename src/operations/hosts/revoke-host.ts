import { z } from 'zod';
import { operation } from '../operation.ts';
import { requireDatabase } from './require-database.ts';

/** Removes the login of a host. */
export const revokeHost = operation({
  name: 'revoke-host',
  where: 'anywhere',
  toleratesDamage: true,
  summary: 'Remove the login of a host: its token is refused, and its tasks start elsewhere',
  http: 'POST /api/hosts/{name}/revoke',
  allow: ['operator'],
  input: z.object({ name: z.string() }),
  output: z.object({ name: z.string() }),
  run: async ({ env }, { name }) => {
    const url = requireDatabase(env, name);
    const hosts = await import('../../store/postgres/hosts/inspect-hosts.ts');
    await hosts.revokeHost(url, name);
    return { name };
  },
});
