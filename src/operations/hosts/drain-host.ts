import { z } from 'zod';
import { operation } from '../operation.ts';
import { requireDatabase } from './require-database.ts';

/** Lets a host finish what it runs; it gets nothing new. */
export const drainHost = operation({
  name: 'drain-host',
  where: 'anywhere',
  toleratesDamage: true,
  summary: 'Let a host finish what it runs and give it nothing new, or accept orders again',
  http: 'POST /api/hosts/{name}/drain',
  allow: ['operator'],
  input: z.object({
    name: z.string(),
    undo: z.boolean().default(false).describe('Let it accept orders again.'),
  }),
  output: z.object({ name: z.string(), draining: z.boolean() }),
  run: async ({ env }, { name, undo }) => {
    const url = requireDatabase(env, name);
    const hosts = await import('../../store/postgres/hosts/inspect-hosts.ts');
    await hosts.drainHost(url, name, !undo);
    return { name, draining: !undo };
  },
});
