import type { Caller } from '../../access/caller.ts';
import type { OwnServer, ServerHandle, ServerRequest } from '../../access/server-handle.ts';
import { AppError } from '../../errors.ts';
import type { Platform } from '../platform.ts';

export type Serving = {
  request: ServerRequest;
  /** Whether unfinished runs are taken up. */
  resume: boolean;
  /** Is told of the door as soon as it stands; `own` is undefined while a run of another process shows the dashboard. */
  opened(door: ServerHandle, own: OwnServer | undefined): Promise<void>;
  say(line: string): void;
};

/** Serves until it is asked to end: as the engine, or through the one of another process until that ends. Agents go on. */
export async function serve(platform: Platform, caller: Caller, serving: Serving): Promise<void> {
  const over = new AbortController();
  const end = () => over.abort();
  const stopListening = platform.onSignal(end);
  caller.ending.addEventListener('abort', end, { once: true });
  let own: OwnServer | undefined;
  try {
    for await (const _engine of engines(caller, over.signal)) {
      if (own === undefined) {
        const door = await platform.openServer(caller, serving.request);
        if (isOwn(door)) own = door;
        await serving.opened(door, own);
        if (own === undefined && door.kind === 'serve') return;
      }
      if (caller.engine() === 'own' && serving.resume) await takeUp(caller, serving.say);
    }
  } finally {
    stopListening();
    caller.ending.removeEventListener('abort', end);
    await own?.[Symbol.asyncDispose]();
    await caller.leave();
  }
}

/** One engine after another: when that of another process goes away, its place is ours. */
async function* engines(caller: Caller, signal: AbortSignal): AsyncGenerator<number> {
  while (!signal.aborted) {
    try {
      for await (const { pid } of caller.stream('watch-engine', {}, signal)) yield pid;
    } catch (error) {
      const isGone = error instanceof AppError && error.code === 'ENGINE_GONE';
      if (!isGone && !signal.aborted) throw error;
    }
  }
}

async function takeUp(caller: Caller, say: (line: string) => void): Promise<void> {
  const { runs, refused = [] } = await caller.call('resume-runs', {});
  if (runs.length > 0)
    say(`Going on with ${runs.length} unfinished ${runs.length === 1 ? 'run' : 'runs'}: ${runs.join(', ')}`);
  for (const { run, reason } of refused) say(`Run ${run} cannot be taken up: ${reason}`);
}

function isOwn(door: ServerHandle | OwnServer): door is OwnServer {
  return Symbol.asyncDispose in door;
}
