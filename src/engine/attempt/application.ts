import { createServer, connect as dial, type Socket } from 'node:net';
import { join } from 'node:path';
import type { AttemptState, TaskState } from '../../core/run/state.ts';
import { AppError } from '../../errors.ts';
import { outputText } from '../../process/output-text.ts';
import { endLeftover, runSupervised, type SupervisedEnd } from '../../process/supervised.ts';
import type { Serve } from '../../schema/task.ts';
import { commandFor } from '../../workspaces/docker.ts';
import { childEnvironment } from '../../workspaces/environment.ts';
import { crashpoint, type World } from '../../world.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import { attemptFolder } from './assignment.ts';

/** An application that runs beside an attempt; it ends with the scope that holds it. */
export interface Serving extends AsyncDisposable {
  readonly url: string;
}

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** Between two knocks at a port that does not answer yet: a listening port gives no sign by itself. */
const KNOCK_MS = 100;
const leased = new Set<number>();

/** Starts the application that a task is to look at, in its workspace, and waits until it answers. */
export async function serve(
  ctx: EngineContext,
  run: ActiveRun,
  what: { task: TaskState; attempt: AttemptState; workspace: string; serve: Serve; signal: AbortSignal },
): Promise<Serving> {
  const { task, attempt, serve: wanted, signal } = what;
  const port = await leasePort();
  const stop = new AbortController();
  const { workspace } = run.ledger.state.start.config;
  crashpoint('application.starting');
  const ended = runSupervised({
    folder: servingFolder(ctx, run, task, attempt.number),
    command: commandFor(wanted.run, workspace.docker),
    cwd: what.workspace,
    env: childEnvironment(ctx.env, { PORT: String(port), HOST: '127.0.0.1' }),
    timeoutMs: task.spec.limits.runtimeMs + wanted.readyMs,
    maxOutputBytes: MAX_OUTPUT_BYTES,
    signal: AbortSignal.any([stop.signal, signal]),
  });
  const end = async () => {
    stop.abort();
    // That it was ended is what was asked for.
    await ended.catch(() => {});
    leased.delete(port);
  };
  try {
    await untilItAnswers({ port, readyMs: wanted.readyMs, ended, world: ctx.world, signal });
  } catch (error) {
    await end();
    throw error;
  }
  crashpoint('application.started');
  return { url: wanted.url.replaceAll('{port}', String(port)), [Symbol.asyncDispose]: end };
}

/** Ends the application of an attempt whose engine is gone. */
export function endServing(ctx: EngineContext, run: ActiveRun, task: TaskState, number: number): Promise<void> {
  return endLeftover(servingFolder(ctx, run, task, number));
}

function servingFolder(ctx: EngineContext, run: ActiveRun, task: TaskState, number: number): string {
  return join(attemptFolder(ctx, run, task, number), 'application');
}

/** A port that was free just now and that no other attempt of this engine was given. */
async function leasePort(): Promise<number> {
  for (;;) {
    const server = createServer();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
    await promise;
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const closed = Promise.withResolvers<void>();
    server.close(() => closed.resolve());
    await closed.promise;
    if (port === 0 || leased.has(port)) continue;
    leased.add(port);
    return port;
  }
}

async function untilItAnswers(what: {
  port: number;
  readyMs: number;
  ended: Promise<SupervisedEnd>;
  world: World;
  signal: AbortSignal;
}): Promise<void> {
  let early: SupervisedEnd | undefined;
  what.ended.then(
    (end) => {
      early = end;
    },
    // An abort is noticed below.
    () => {},
  );
  const deadline = what.world.now() + what.readyMs;
  while (!(await answers(what.port))) {
    what.signal.throwIfAborted();
    if (early !== undefined) throw await failed('ended before it answered', early);
    if (what.world.now() >= deadline)
      throw new AppError(
        'APP_NOT_READY',
        `The application did not answer on port ${what.port} within ${what.readyMs / 1000} s`,
      );
    await what.world.sleep(KNOCK_MS);
  }
}

async function failed(how: string, end: SupervisedEnd): Promise<AppError> {
  const output = (await outputText(end.outputFile)).trim().slice(-2000);
  return new AppError('APP_NOT_READY', `The application ${how}: ${output}`, { output });
}

function answers(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket: Socket = dial({ port, host: '127.0.0.1' });
  socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}
