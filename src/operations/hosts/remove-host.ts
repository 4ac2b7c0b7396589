import { z } from 'zod';
import { operation } from '../operation.ts';
import { requireDatabase } from './require-database.ts';

/** Forgets a host that has ended. */
export const removeHost = operation({
  name: 'remove-host',
  where: 'anywhere',
  toleratesDamage: true,
  summary: 'Forget a host that has ended',
  http: 'DELETE /api/hosts/{name}',
  allow: ['operator'],
  input: z.object({ name: z.string() }),
  output: z.object({ name: z.string() }),
  run: async ({ env }, { name }) => {
    const url = requireDatabase(env, name);
    const { forgetHost } = await import('../../store/postgres/hosts/inspect-hosts.ts');
    await forgetHost(url, name);
    return { name };
  },
});
