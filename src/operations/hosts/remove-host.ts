import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { operation } from '../operation.ts';

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
    const url = env.MANYHANDS_DATABASE_URL;
    if (!url)
      throw new AppError('HOST_UNKNOWN', `There is no host ${name}: the database is not on PostgreSQL`, { name });
    const { forgetHost } = await import('../../store/postgres/hosts/inspect-hosts.ts');
    await forgetHost(url, name);
    return { name };
  },
});
