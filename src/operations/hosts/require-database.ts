import { AppError } from '../../errors.ts';

/** The URL of the database that has the hosts. */
export function requireDatabase(env: NodeJS.ProcessEnv, name: string): string {
  const url = env.MANYHANDS_DATABASE_URL;
  if (url) return url;
  throw new AppError('HOST_UNKNOWN', `There is no host ${name}: the database is not on PostgreSQL`, { name });
}
