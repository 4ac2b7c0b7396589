import type { App } from '../app.ts';
import { refuseCall } from '../core/run/decide-run.ts';
import type { RunState } from '../core/run/state.ts';
import { AppError } from '../errors.ts';
import { RunId } from '../schema/ids.ts';
import type { OperationName, OperationOutput, StreamItem, StreamName } from './all.ts';
import { requireAllowedToAssistant } from './assistant-rights.ts';
import { type Identity, identityOf, mayCall } from './authorize.ts';
import { requireConfirmed } from './confirm-decision.ts';
import { LOAD_OPERATION, LOAD_STREAM } from './load.ts';
import type { Call } from './operation.ts';

/** Runs the operation that another process named: returns its output, or the items of its stream. */
export async function dispatch(
  app: App,
  request: { operation: string; input: unknown },
  call: Call,
  identity: Identity = identityOf(call.origin),
): Promise<unknown> {
  const { operation, input } = request;
  const known = await contractOf(operation);
  if (known !== undefined && !mayCall(identity, known, input)) return refuse(app, operation, call);
  if (isOperation(operation)) return runOperation(operation, app, { input, call });
  if (isStream(operation)) return itemsOf(runStream(operation, app, { input, call }));
  throw new AppError('USAGE', `There is no operation ${operation}`, { operation });
}

/** Whether agents may call the operation; an unknown one is answered in the same way for every caller. */
export async function isForAgents({ operation, input }: { operation: string; input: unknown }): Promise<boolean> {
  const known = await contractOf(operation);
  return known === undefined || mayCall({ role: 'viewer' }, known, input);
}

/** Refuses a call and records it in the run of the agent that made it. */
async function refuse(app: App, operation: string, { origin }: Call): Promise<never> {
  const { actor } = origin;
  const run = RunId.safeParse(actor.kind === 'agent' ? actor.attempt.split('-', 1)[0] : undefined);
  if (run.success && app.control !== undefined) {
    const decide = (state: RunState) => refuseCall(state, operation);
    // The run may have been deleted or archived; the call is refused all the same.
    await app.control.record(run.data, decide, origin).catch(() => {});
  }
  throw new AppError('CALLED_BY_AGENT', `An agent called ${operation}, and agents control no run and no other attempt`);
}

/** Runs an operation by its name; input that does not match its schema is INPUT_INVALID. */
export async function runOperation<N extends OperationName>(
  name: N,
  app: App,
  { input, call }: { input: unknown; call: Call },
): Promise<OperationOutput<N>> {
  const operation = await LOAD_OPERATION[name]();
  await requireAllowedToAssistant(app, { operation, input }, call);
  if (operation.decides === true) await requireConfirmed(app, { operation: name, input }, call);
  // The operation of a name has the output of that name, which the type of the table cannot express generically.
  return (await operation.run(app, input, call)) as OperationOutput<N>;
}

/** Runs a stream by its name; items that exist at the same time are returned as one batch. */
export async function* runStream<N extends StreamName>(
  name: N,
  app: App,
  { input, call }: { input: unknown; call: Call },
): AsyncGenerator<readonly StreamItem<N>[]> {
  const stream = await LOAD_STREAM[name]();
  // As above: the stream of a name has the items of that name.
  yield* stream.run(app, input, call) as AsyncIterable<readonly StreamItem<N>[]>;
}

/** The items of a stream one by one. */
export async function* itemsOf<T>(batches: AsyncIterable<readonly T[]>): AsyncGenerator<T> {
  for await (const batch of batches) yield* batch;
}

async function contractOf(name: string): Promise<Parameters<typeof mayCall>[1] | undefined> {
  if (isOperation(name)) return LOAD_OPERATION[name]();
  return isStream(name) ? LOAD_STREAM[name]() : undefined;
}

function isOperation(name: string): name is OperationName {
  return Object.hasOwn(LOAD_OPERATION, name);
}

function isStream(name: string): name is StreamName {
  return Object.hasOwn(LOAD_STREAM, name);
}
