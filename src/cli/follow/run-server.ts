import type { Caller } from '../../access/caller.ts';
import type { OwnServer, ServerHandle, ServerRequest } from '../../access/server-handle.ts';
import { AppError } from '../../errors.ts';
import type { Platform } from '../platform.ts';

export type ServeOptions = {
  request: ServerRequest;
  /** Whether unfinished runs are resumed. */
  resume: boolean;
  /** Called once the server is open; `own` is undefined while another process serves the dashboard. */
  opened(server: ServerHandle, own: OwnServer | undefined): Promise<void>;
  report(line: string): void;
};

/** Serves until it is stopped: as the engine, or through the engine of another process until that ends. Agents continue. */
export async function serve(platform: Platform, caller: Caller, options: ServeOptions): Promise<void> {
  const over = new AbortController();
  const end = () => over.abort();
  const stopListening = platform.onSignal(end);
  caller.ending.addEventListener('abort', end, { once: true });
  let own: OwnServer | undefined;
  try {
    for await (const _engine of engines(caller, over.signal)) {
      if (own === undefined) {
        const server = await platform.openServer(caller, options.request);
        if (isOwn(server)) own = server;
        await options.opened(server, own);
        if (own === undefined && server.kind === 'serve') return;
      }
      if (caller.engine() === 'own' && options.resume) await resumeRuns(caller, options.report);
    }
  } finally {
    stopListening();
    caller.ending.removeEventListener('abort', end);
    await own?.[Symbol.asyncDispose]();
    await caller.leave();
  }
}

/** The pid of each engine in turn: when the engine of another process ends, this process becomes the engine. */
async function* engines(caller: Caller, signal: AbortSignal): AsyncGenerator<number> {
  while (!signal.aborted) {
    try {
      for await (const { pid } of caller.stream('watch-engine', {}, { signal })) yield pid;
    } catch (error) {
      const isGone = error instanceof AppError && error.code === 'ENGINE_GONE';
      if (!isGone && !signal.aborted) throw error;
    }
  }
}

async function resumeRuns(caller: Caller, report: (line: string) => void): Promise<void> {
  const { runs, refused = [] } = await caller.call('resume-runs', {});
  if (runs.length > 0)
    report(`Resumed ${runs.length} unfinished ${runs.length === 1 ? 'run' : 'runs'}: ${runs.join(', ')}`);
  for (const { run, reason } of refused) report(`Run ${run} cannot be resumed: ${reason}`);
}

function isOwn(server: ServerHandle | OwnServer): server is OwnServer {
  return Symbol.asyncDispose in server;
}
