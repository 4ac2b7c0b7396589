import { AppError } from '../errors.ts';
import { announceRuns, detachSession } from './detach.ts';
import type { Door } from './door.ts';
import type { Session } from './platform.ts';

/** Starts the server in the background, or finds the one that runs; gives it as soon as it stands. */
export async function detachServer(session: Session): Promise<Door> {
  await detachSession(session, false);
  const door = await session.platform.findDoor();
  if (door === undefined) throw new AppError('INTERNAL', 'The server in the background ended at once');
  return door;
}

/** In the background: tells that the server stands. */
export function announceServer(session: Session): void {
  announceRuns(session, []);
}
