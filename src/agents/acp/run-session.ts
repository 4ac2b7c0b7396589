import { readFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { type ClientConnection, methods } from '@agentclientprotocol/sdk/unstable';
import { z } from 'zod';
import { messageOf } from '../../errors.ts';
import { type Conversation, startConversation } from '../../process/conversation.ts';
import type { Failure } from '../../schema/failure.ts';
import { realWorld, type World } from '../../world.ts';
import { exitFailure } from '../exit-failure.ts';
import { finalJson } from '../final-json.ts';
import { parseJsonObject } from '../json-object.ts';
import { REFUSALS } from '../refusals.ts';
import { signalFailure } from '../signal-failure.ts';
import type { Greeting } from './acp-capabilities.ts';
import { connectClient } from './acp-client.ts';
import { errorFailure, stopFailure } from './acp-failure.ts';
import type { AcpInput } from './acp-input.ts';
import type { AcpLine } from './acp-line.ts';
import { isGranted, type PermissionRequest } from './acp-permission.ts';
import { promptBlocks } from './acp-prompt.ts';
import { type Ask, greet, openSession, settleSession } from './acp-session.ts';
import { Updates } from './acp-updates.ts';
import { promptUsage } from './acp-usage.ts';

/** What surrounds a talk with an agent. */
export interface AcpConversationOptions {
  env: Record<string, string>;
  tell: (line: AcpLine) => void;
  /** What the agent writes to its error channel. */
  onErrors: (chunk: Buffer) => void;
  world?: World;
}

/** What went wrong, if anything, and the exit code that says so: the agent's own if it ended in the middle. */
export interface AcpConversationEnd {
  code: number;
  failure?: Failure;
}

/** How long an agent that is told to stop may take to say so, and then to end. */
const CANCEL_MS = 2_500;
const GRACE_MS = 2_000;

const INTERRUPTED: Failure = { kind: 'interrupted', message: 'It was stopped before it had finished' };
/** Some agents end a turn as if it were done when the model's answer was empty. */
const UNANSWERED: Failure = { kind: 'network', message: 'It ended its turn without an answer of its model' };
const { SIGHUP, SIGINT, SIGTERM } = constants.signals;
/** Whoever stops us may have asked the agent itself, too. */
const ASKED_TO_END: ReadonlySet<number> = new Set([SIGHUP, SIGINT, SIGTERM].map((number) => 128 + number));
const Stopped = z.looseObject({ stopReason: z.string() });

/** Speaks with an agent from greeting to result, telling what happens. */
export async function talk(
  order: AcpInput,
  options: AcpConversationOptions,
  signal: AbortSignal,
): Promise<AcpConversationEnd> {
  let conversation: Conversation;
  try {
    conversation = await startConversation(order.command, { cwd: order.workspace, env: options.env });
  } catch (error) {
    const message = `${order.command[0]} cannot be started: ${messageOf(error)}`;
    return { code: 127, failure: { kind: 'environment', message } };
  }
  conversation.errors.on('data', options.onErrors);
  const talking = new AcpConversation(order, conversation, options);
  const end = await talking.run(signal);
  const { code } = await conversation.finish(GRACE_MS);
  if (end === undefined) return { code: 0 };
  if (end !== 'gone') return { code: 1, failure: end };
  const silent: Failure = { kind: 'crashed', message: 'It ended without an answer' };
  const failure = ASKED_TO_END.has(code) ? INTERRUPTED : (signalFailure(code) ?? exitFailure({ kind: 'exited', code }));
  return { code: code || 1, failure: failure ?? silent };
}

class AcpConversation {
  readonly #order: AcpInput;
  readonly #options: AcpConversationOptions;
  #updates: Updates;
  readonly #connection: ClientConnection;
  #isPrompted = false;
  #costBefore: number | undefined;
  #told: number | undefined;

  constructor(order: AcpInput, conversation: Conversation, options: AcpConversationOptions) {
    this.#order = order;
    this.#options = options;
    this.#updates = new Updates(order.workspace);
    this.#connection = connectClient(conversation, order, {
      onUpdate: (update) => this.#heard(update),
      onPermission: (request) => this.#asked(request),
    });
  }

  async run(signal: AbortSignal): Promise<Failure | 'gone' | undefined> {
    const leave = () => {
      if (!this.#isPrompted) this.#connection.close();
    };
    signal.addEventListener('abort', leave, { once: true });
    try {
      const ask: Ask = (method, params) => this.#request(method, params);
      const greeting = await greet(ask);
      const onLost = (error: unknown) => {
        if (this.#connection.signal.aborted) throw error;
        this.#options.tell({ type: 'retry', message: `The session cannot be resumed: ${errorFailure(error).message}` });
      };
      const session = await openSession(ask, { order: this.#order, greeting, onLost });
      this.#options.tell({ type: 'session', id: session.id });
      const missing = await settleSession(ask, this.#order, session);
      return missing ?? (await this.#prompt(session.id, greeting, signal));
    } catch (error) {
      this.#tellAll(this.#updates.flush());
      if (!signal.aborted && this.#connection.signal.aborted) return 'gone';
      const failure = signal.aborted ? INTERRUPTED : errorFailure(error);
      if (this.#isFree(failure)) this.#options.tell({ type: 'spent', usage: { kind: 'none' } });
      return failure;
    } finally {
      signal.removeEventListener('abort', leave);
      this.#connection.close();
    }
  }

  /** No model has worked on what was refused before the first answer. */
  #isFree({ kind }: Failure): boolean {
    return this.#isPrompted && this.#updates.turns === 0 && REFUSALS.has(kind);
  }

  #request(method: string, params: object): Promise<unknown> {
    return this.#connection.agent.request<unknown>(method, params);
  }

  async #prompt(sessionId: string, greeting: Greeting, signal: AbortSignal): Promise<Failure | undefined> {
    const text = await readFile(this.#order.promptFile, 'utf8');
    const prompt = promptBlocks(text, this.#order, greeting.agentInfo?.name ?? '');
    signal.throwIfAborted();
    this.#costBefore = this.#updates.costUsd;
    this.#updates = new Updates(this.#order.workspace);
    this.#isPrompted = true;
    this.#options.tell({ type: 'spent', usage: { kind: 'unknown' } });
    const stop = this.#cancelling(sessionId, signal);
    try {
      const response = await this.#request(methods.agent.session.prompt, { sessionId, prompt });
      return this.#end(response, signal);
    } finally {
      stop();
    }
  }

  /** On the signal the agent is asked to stop; if it does not say that it did, it is not listened to any longer. */
  #cancelling(sessionId: string, signal: AbortSignal): () => void {
    const { world = realWorld } = this.#options;
    let cancelAlarm = () => {};
    const cancel = () => {
      // The connection may be gone already; then the prompt has ended with it.
      this.#connection.agent.notify(methods.agent.session.cancel, { sessionId }).catch(() => {});
      cancelAlarm = world.alarm(world.now() + CANCEL_MS, () => this.#connection.close());
    };
    signal.addEventListener('abort', cancel, { once: true });
    return () => {
      signal.removeEventListener('abort', cancel);
      cancelAlarm();
    };
  }

  #end(response: unknown, signal: AbortSignal): Failure | undefined {
    this.#tellAll(this.#updates.flush());
    const { turns, error } = this.#updates;
    const failure =
      error === undefined
        ? (stopFailure(Stopped.parse(response).stopReason, signal.aborted) ?? (turns === 0 ? UNANSWERED : undefined))
        : errorFailure({ code: 0, message: error });
    const usage = promptUsage({ response, costUsd: this.#cost(), turns });
    this.#options.tell({ type: 'usage', usage: failure && this.#isFree(failure) ? { kind: 'none' } : usage });
    if (failure !== undefined) return failure;
    const text = this.#updates.text.trim();
    const output = this.#order.outputSchema === undefined ? parseJsonObject(text) : finalJson(text);
    this.#options.tell({ type: 'result', isError: false, text, ...(output === undefined ? {} : { output }) });
    return undefined;
  }

  /** What the agent repeats of an earlier session is no news, but for what that had cost. */
  #heard(update: unknown): void {
    const events = this.#updates.take(update);
    if (!this.#isPrompted) return;
    this.#tellAll(events);
    const costUsd = this.#cost();
    if (costUsd === undefined || costUsd === this.#told) return;
    this.#told = costUsd;
    this.#options.tell({ type: 'spent', usage: promptUsage({ response: {}, costUsd, turns: this.#updates.turns }) });
  }

  #asked(request: PermissionRequest): boolean {
    this.#tellAll(this.#updates.asked(request.toolCall));
    const rawInput = request.toolCall.rawInput ?? this.#updates.inputOf(request.toolCall.toolCallId);
    const toolCall = { ...request.toolCall, rawInput };
    const granted = isGranted({ ...request, toolCall }, this.#order);
    const tool = toolCall.name ?? toolCall.title ?? toolCall.kind ?? 'a tool';
    if (!granted) this.#options.tell({ type: 'permission-denied', tool, message: `${tool} was not allowed` });
    return granted;
  }

  /** A session's cost is its whole cost: of a resumed one only what came on top of a known sum is known. */
  #cost(): number | undefined {
    const { costUsd } = this.#updates;
    if (costUsd === undefined) return undefined;
    if (this.#costBefore !== undefined) return Math.max(0, costUsd - this.#costBefore);
    return this.#order.session === undefined ? costUsd : undefined;
  }

  #tellAll(lines: readonly AcpLine[]): void {
    for (const line of lines) this.#options.tell(line);
  }
}
