import { z } from 'zod';
import { operation } from '../operation.ts';

const LeaderView = z.object({
  database: z.string().nullable().describe('Server and name of the PostgreSQL database; null for an embedded one.'),
  leader: z
    .object({
      holder: z.string().describe('Machine and data directory.'),
      epoch: z.number().int(),
      since: z.iso.datetime(),
      alive: z.boolean().describe('Whether its lease has not expired, by the clock of the database.'),
    })
    .nullable()
    .describe('The server that writes; null if none does, or the database is embedded.'),
});

/** Says which server leads an installation on PostgreSQL. */
export const showLeader = operation({
  name: 'show-leader',
  where: 'anywhere',
  toleratesDamage: true,
  summary: 'Show which server leads, where the database is on PostgreSQL',
  http: 'GET /api/leader',
  allow: ['viewer', 'operator'],
  input: z.object({}),
  output: LeaderView,
  run: async ({ env }) => {
    const url = env.MANYHANDS_DATABASE_URL;
    if (!url) return { database: null, leader: null };
    const { inspectInstallation } = await import('../../store/postgres/inspect.ts');
    const { database, leader } = await inspectInstallation(url);
    if (leader === undefined) return { database, leader: null };
    const { holder, epoch, since, isAlive } = leader;
    return { database, leader: { holder, epoch, since: since.toISOString(), alive: isAlive } };
  },
});
