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
import { containCommands } from './containment.ts';

/** An application that runs during an attempt; disposing it ends it. */
export interface Application extends AsyncDisposable {
  readonly url: string;
}

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** Between two connection attempts: there is no event for a port that starts to listen. */
const POLL_MS = 100;
const leasedPorts = new Set<number>();

/** Starts the application that a task inspects, in its workspace, and waits until it accepts connections. */
export async function startApplication(
  ctx: EngineContext,
  run: ActiveRun,
  request: { task: TaskState; attempt: AttemptState; workspace: string; serve: Serve; signal: AbortSignal },
): Promise<Application> {
  const { task, attempt, serve: spec, signal } = request;
  const port = await leasePort();
  const stop = new AbortController();
  const { workspace } = run.ledger.state.start.config;
  const contain = await containCommands(ctx, run, 'application');
  crashpoint('application.starting');
  const ended = runSupervised({
    folder: applicationFolder(ctx, run, task, attempt.number),
    command: commandFor(spec.run, workspace.docker),
    cwd: request.workspace,
    env: childEnvironment(ctx.env, { PORT: String(port), HOST: '127.0.0.1' }),
    contain,
    timeoutMs: task.spec.limits.runtimeMs + spec.readyMs,
    maxOutputBytes: MAX_OUTPUT_BYTES,
    signal: AbortSignal.any([stop.signal, signal]),
  });
  const end = async () => {
    stop.abort();
    // It was aborted on purpose.
    await ended.catch(() => {});
    leasedPorts.delete(port);
  };
  try {
    await waitUntilReady({ port, readyMs: spec.readyMs, ended, world: ctx.world, signal });
  } catch (error) {
    await end();
    throw error;
  }
  crashpoint('application.started');
  return { url: spec.url.replaceAll('{port}', String(port)), [Symbol.asyncDispose]: end };
}

/** Ends the application of an attempt whose engine has ended. */
export function endApplication(ctx: EngineContext, run: ActiveRun, task: TaskState, number: number): Promise<void> {
  return endLeftover(applicationFolder(ctx, run, task, number));
}

function applicationFolder(ctx: EngineContext, run: ActiveRun, task: TaskState, number: number): string {
  return join(attemptFolder(ctx, run, task, number), 'application');
}

/** A port that was free a moment ago and is not leased to another attempt of this engine. */
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
    if (port === 0 || leasedPorts.has(port)) continue;
    leasedPorts.add(port);
    return port;
  }
}

async function waitUntilReady(request: {
  port: number;
  readyMs: number;
  ended: Promise<SupervisedEnd>;
  world: World;
  signal: AbortSignal;
}): Promise<void> {
  let earlyEnd: SupervisedEnd | undefined;
  request.ended.then(
    (end) => {
      earlyEnd = end;
    },
    // An abort is noticed below.
    () => {},
  );
  const deadline = request.world.now() + request.readyMs;
  while (!(await isListening(request.port))) {
    request.signal.throwIfAborted();
    if (earlyEnd !== undefined) throw await notReady('ended before it answered', earlyEnd);
    if (request.world.now() >= deadline)
      throw new AppError(
        'APP_NOT_READY',
        `The application did not answer on port ${request.port} within ${request.readyMs / 1000} s`,
      );
    await request.world.sleep(POLL_MS);
  }
}

async function notReady(reason: string, end: SupervisedEnd): Promise<AppError> {
  const output = (await outputText(end.outputFile)).trim().slice(-2000);
  return new AppError('APP_NOT_READY', `The application ${reason}: ${output}`, { output });
}

function isListening(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket: Socket = dial({ port, host: '127.0.0.1' });
  socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}
