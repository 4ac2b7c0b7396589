import type { World } from '../../world.ts';

/** A program that nobody could continue is not stopped by the system; then it goes on after this. */
const UNSTOPPABLE_MS = 300;

/** Stops this program and who started it for the same terminal, as Ctrl-Z does; resolves when it is continued. */
export async function suspend(world: World): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  process.once('SIGCONT', resolve);
  process.kill(0, 'SIGTSTP');
  const stopWaiting = world.alarm(world.now() + UNSTOPPABLE_MS, resolve);
  await promise;
  stopWaiting();
  process.off('SIGCONT', resolve);
}
