import { AppError } from '../errors.ts';

const SHORTEST_TOKEN = 16;

/** Refuses a token that other processes could have by accident, because it selects the processes to kill. */
export function requireToken(token: string): void {
  if (token.length >= SHORTEST_TOKEN) return;
  throw new AppError('INTERNAL', `A token of ${token.length} characters is too short to identify processes`);
}
