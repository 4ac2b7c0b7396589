import { rm } from 'node:fs/promises';
import { connect as dial, type Socket } from 'node:net';
import { join } from 'node:path';
import { taskOf } from '../../core/run/phase.ts';
import type { AttemptState, TaskState } from '../../core/run/state.ts';
import { taskLabel } from '../../core/view/task-label.ts';
import { AppError } from '../../errors.ts';
import { forwardPort } from '../../process/network/forward.ts';
import { outputText } from '../../process/output-text.ts';
import { endLeftover, runSupervised, type SupervisedEnd } from '../../process/supervised.ts';
import type { TaskKey } from '../../schema/ids.ts';
import type { Serve } from '../../schema/task.ts';
import { gateCheckout } from '../../workspaces/checkout.ts';
import { commandFor } from '../../workspaces/docker.ts';
import { childEnvironment } from '../../workspaces/environment.ts';
import { leasePorts } from '../../workspaces/ports.ts';
import { setupsFolder } from '../../workspaces/setup.ts';
import { crashpoint, type World } from '../../world.ts';
import { checkoutOf } from '../land/perform-check.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import { attemptFolder } from './assignment.ts';
import { containApplication } from './containment.ts';

/** An application that runs during an attempt; disposing it ends it. */
export interface Application extends AsyncDisposable {
  readonly url: string;
  /** The port of the machine's loopback on which it listens. */
  readonly port: number;
}

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** A preview that is left open ends after a day. */
const PREVIEW_MS = 24 * 3_600_000;
/** Between two connection attempts: there is no event for a port that starts to listen. */
const POLL_MS = 100;

/** Starts the application that a task inspects, in its workspace, and waits until it accepts connections. */
export async function startApplication(
  ctx: EngineContext,
  run: ActiveRun,
  request: { task: TaskState; attempt: AttemptState; workspace: string; serve: Serve; signal: AbortSignal },
): Promise<Application> {
  const { task, attempt, serve, signal, workspace } = request;
  const folder = applicationFolder(ctx, run, task, attempt.number);
  crashpoint('application.starting');
  const timeoutMs = task.spec.limits.runtimeMs + serve.readyMs;
  const application = await runApplication(ctx, run, { folder, cwd: workspace, serve, timeoutMs, signal });
  crashpoint('application.started');
  return application;
}

/** An application on the saved work of a task, or on the result of a run; `ended` rejects when it ends by itself. */
export type Preview = { url: string; commit: string; ended: Promise<void> };

/** Starts the application on saved work in a checkout of its own, and waits until it accepts connections. */
export async function startPreview(
  ctx: EngineContext,
  run: ActiveRun,
  { task, signal }: { task: TaskKey | undefined; signal: AbortSignal },
): Promise<AsyncDisposable & Preview> {
  const { start, tip } = run.ledger.state;
  const { verify } = await ctx.implementations.config(start.project.root);
  if (verify.start === undefined)
    throw new AppError('CONFIG_INVALID', 'verify.start is not set, so it is not known how the application starts');
  const commit = task === undefined ? tip.commit : savedCommit(taskOf(run.ledger.state, task));
  const { kept: _, ...options } = await checkoutOf(ctx, run, commit);
  const until = AbortSignal.any([signal, options.signal]);
  const url = verify.appUrl?.includes('{port}') ? verify.appUrl : 'http://127.0.0.1:{port}';
  const serve = { run: verify.start, readyMs: verify.startSeconds * 1000, url };
  const folder = join(setupsFolder(ctx.home.root), ctx.world.token());
  const checkout = await gateCheckout({ ...options, signal: until });
  try {
    const cwd = checkout.path;
    const application = await runApplication(ctx, run, { folder, cwd, serve, timeoutMs: PREVIEW_MS, signal: until });
    const { ended } = application;
    const end = async () => {
      await application[Symbol.asyncDispose]();
      await endLeftover(folder);
      await checkout[Symbol.asyncDispose]();
    };
    return { url: application.url, commit, ended, [Symbol.asyncDispose]: end };
  } catch (error) {
    await endLeftover(folder);
    await checkout[Symbol.asyncDispose]();
    throw error;
  }
}

function savedCommit(task: TaskState): string {
  const saved = task.attempts.findLast(({ ended }) => ended?.saved != null)?.ended?.saved?.commit;
  const commit = task.phase.status === 'done' ? (task.phase.commit ?? saved) : saved;
  if (commit !== undefined) return commit;
  throw new AppError('REFUSED', `Task ${taskLabel(task.spec)} has no saved work yet, so there is nothing to preview`);
}

type ApplicationRun = { folder: string; cwd: string; serve: Serve; timeoutMs: number; signal: AbortSignal };

async function runApplication(
  ctx: EngineContext,
  run: ActiveRun,
  { folder, cwd, serve, timeoutMs, signal }: ApplicationRun,
): Promise<Application & { ended: Promise<void> }> {
  const { workspace, ports } = run.ledger.state.start.config;
  const lease = await leasePorts(1, ports);
  const [port = 0] = lease.ports;
  const { forwarded, ...containing } = await containApplication(ctx, run, () => forwardPort(portFolder(folder), port));
  const stop = new AbortController();
  const running = runSupervised({
    folder,
    command: commandFor(serve.run, workspace.docker),
    cwd,
    env: childEnvironment(ctx.env, { PORT: String(port), HOST: '127.0.0.1' }),
    ...containing,
    timeoutMs,
    maxOutputBytes: MAX_OUTPUT_BYTES,
    signal: AbortSignal.any([stop.signal, signal]),
  });
  const end = async () => {
    stop.abort();
    // It was aborted on purpose.
    await running.catch(() => {});
    await forwarded?.[Symbol.asyncDispose]();
    lease[Symbol.dispose]();
  };
  try {
    const isReady = () => forwarded?.isServed() ?? isListening(port);
    await waitUntilReady({ port, isReady, readyMs: serve.readyMs, ended: running, world: ctx.world, signal });
    await forwarded?.listen();
  } catch (error) {
    await end();
    throw error;
  }
  const ended = running.then(async (done) => {
    throw await notReady('ended', done);
  });
  // Whether it is awaited is up to the caller.
  ended.catch(() => {});
  return { url: serve.url.replaceAll('{port}', String(port)), port, ended, [Symbol.asyncDispose]: end };
}

/** Ends the application of an attempt whose engine has ended. */
export async function endApplication(
  ctx: EngineContext,
  run: ActiveRun,
  task: TaskState,
  number: number,
): Promise<void> {
  const folder = applicationFolder(ctx, run, task, number);
  await endLeftover(folder);
  await rm(portFolder(folder), { recursive: true, force: true });
}

/** The folder with the socket of its forwarded port, beside its own, which is made again when it starts. */
function portFolder(folder: string): string {
  return `${folder}-port`;
}

function applicationFolder(ctx: EngineContext, run: ActiveRun, task: TaskState, number: number): string {
  return join(attemptFolder(ctx, run, task, number), 'application');
}

async function waitUntilReady(request: {
  port: number;
  isReady(): Promise<boolean>;
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
  while (!(await request.isReady())) {
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
