import { readFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { type ClientConnection, methods } from '@agentclientprotocol/sdk/unstable';
import { z } from 'zod';
import { messageOf } from '../../errors.ts';
import { type Conversation, startConversation } from '../../process/conversation.ts';
import type { Failure } from '../../schema/failure.ts';
import type { Usage } from '../../schema/usage.ts';
import { realWorld, type World } from '../../world.ts';
import { exitFailure, signalFailure } from '../exit-failure.ts';
import { finalJson } from '../final-json.ts';
import { parseJsonObject } from '../json-object.ts';
import { REFUSALS } from '../status-failure.ts';
import type { InitializeResult } from './acp-capabilities.ts';
import { connectClient } from './acp-client.ts';
import { errorFailure, stopFailure } from './acp-failure.ts';
import type { AcpInput } from './acp-input.ts';
import type { AcpLine } from './acp-line.ts';
import { type PermissionRequest, refusalOf } from './acp-permission.ts';
import { configureSession, initialize, openSession, promptBlocks, type SendRequest } from './acp-session.ts';
import { Updates } from './acp-updates.ts';
import { promptUsage } from './acp-usage.ts';
import { environmentToResume } from './session-record.ts';

/** The environment and the listeners of a session. */
export interface AcpConversationOptions {
  env: Record<string, string>;
  writeLine: (line: AcpLine) => void;
  /** Receives what the agent writes to stderr. */
  onErrors: (chunk: Buffer) => void;
  world?: World;
}

/** The failure, if any, and the exit code: the agent's own if it exited during the session. */
export interface AcpConversationEnd {
  code: number;
  failure?: Failure;
}

/** How long a cancelled agent may take to confirm, and then to exit. */
const CANCEL_MS = 2_500;
const GRACE_MS = 2_000;

const INTERRUPTED: Failure = { kind: 'interrupted', message: 'It was stopped before it finished' };
/** Some agents end a turn successfully when the model's answer was empty. */
const UNANSWERED: Failure = { kind: 'network', message: 'It ended its turn without an answer from its model' };
const { SIGHUP, SIGINT, SIGTERM } = constants.signals;
/** The agent may have received the same stop signal as this program. */
const STOP_EXIT_CODES: ReadonlySet<number> = new Set([SIGHUP, SIGINT, SIGTERM].map((number) => 128 + number));
const Stopped = z.looseObject({ stopReason: z.string() });

/** Runs a session with an agent from initialization to result, and reports its events. */
export async function runSession(
  input: AcpInput,
  options: AcpConversationOptions,
  signal: AbortSignal,
): Promise<AcpConversationEnd> {
  let conversation: Conversation;
  const { session: id } = input;
  const env = id === undefined ? options.env : environmentToResume(input.command[0] ?? '', { id, env: options.env });
  try {
    conversation = await startConversation(input.command, { cwd: input.workspace, env });
  } catch (error) {
    const message = `${input.command[0]} cannot be started: ${messageOf(error)}`;
    return { code: 127, failure: { kind: 'environment', message } };
  }
  conversation.errors.on('data', options.onErrors);
  const mustResume = env !== options.env;
  const session = new AcpConversation(input, conversation, { ...options, mustResume });
  const end = await session.run(signal);
  const { code } = await conversation.finish(GRACE_MS);
  if (end === undefined) return { code: 0 };
  if (end !== 'disconnected') return { code: 1, failure: end };
  const silent: Failure = { kind: 'crashed', message: 'It ended without an answer' };
  const failure = STOP_EXIT_CODES.has(code)
    ? INTERRUPTED
    : (signalFailure(code) ?? exitFailure({ kind: 'exited', code }));
  return { code: code || 1, failure: failure ?? silent };
}

/** Its environment fits only the earlier session, which cannot be resumed. */
class SessionLostError extends Error {}

/** `mustResume`: a new session would not have the model of the earlier one. */
type ConversationOptions = AcpConversationOptions & { mustResume: boolean };

class AcpConversation {
  readonly #input: AcpInput;
  readonly #options: ConversationOptions;
  #updates: Updates;
  readonly #connection: ClientConnection;
  #isPrompted = false;
  #costBefore: number | undefined;
  #reportedCostUsd: number | undefined;

  constructor(input: AcpInput, conversation: Conversation, options: ConversationOptions) {
    this.#input = input;
    this.#options = options;
    this.#updates = new Updates(input.workspace);
    this.#connection = connectClient(conversation, input, {
      onUpdate: (update) => this.#onUpdate(update),
      onPermission: (request) => this.#onPermission(request),
    });
  }

  async run(signal: AbortSignal): Promise<Failure | 'disconnected' | undefined> {
    const closeConnection = () => {
      if (!this.#isPrompted) this.#connection.close();
    };
    signal.addEventListener('abort', closeConnection, { once: true });
    try {
      const request: SendRequest = (method, params) => this.#request(method, params);
      const initialized = await initialize(request);
      const onLost = (error: unknown) => {
        if (this.#connection.signal.aborted) throw error;
        const message = `The session cannot be resumed: ${errorFailure(error, this.#now()).message}`;
        if (this.#options.mustResume) throw new SessionLostError(message);
        this.#options.writeLine({ type: 'retry', message });
      };
      const session = await openSession(request, { input: this.#input, initialized, onLost });
      this.#options.writeLine({ type: 'session', id: session.id });
      const missing = await configureSession(request, this.#input, session);
      return missing ?? (await this.#prompt(session.id, initialized, signal));
    } catch (error) {
      this.#writeAll(this.#updates.flush());
      if (!signal.aborted && this.#connection.signal.aborted) return 'disconnected';
      const failure = signal.aborted ? INTERRUPTED : this.#failureOf(error);
      if (this.#isFree(failure)) this.#options.writeLine({ type: 'spent', usage: { kind: 'none' } });
      return failure;
    } finally {
      signal.removeEventListener('abort', closeConnection);
      this.#connection.close();
    }
  }

  #failureOf(error: unknown): Failure {
    if (error instanceof SessionLostError) return { kind: 'session-lost', message: error.message };
    return errorFailure(error, this.#now());
  }

  #now(): number {
    return (this.#options.world ?? realWorld).now();
  }

  /** A request that was refused before the first answer reached no model. */
  #isFree({ kind }: Failure): boolean {
    return this.#isPrompted && this.#updates.turns === 0 && REFUSALS.has(kind);
  }

  #request(method: string, params: object): Promise<unknown> {
    return this.#connection.agent.request<unknown>(method, params);
  }

  async #prompt(sessionId: string, initialized: InitializeResult, signal: AbortSignal): Promise<Failure | undefined> {
    const text = await readFile(this.#input.promptFile, 'utf8');
    const prompt = promptBlocks(text, this.#input, initialized.agentInfo?.name ?? '');
    signal.throwIfAborted();
    this.#costBefore = this.#updates.costUsd;
    this.#updates = new Updates(this.#input.workspace);
    this.#isPrompted = true;
    const { world = realWorld } = this.#options;
    this.#options.writeLine({ type: 'spent', usage: { kind: 'unknown' }, at: world.now() });
    const stop = this.#cancelling(sessionId, signal);
    try {
      const response = await this.#request(methods.agent.session.prompt, { sessionId, prompt });
      return this.#end(response, signal);
    } finally {
      stop();
    }
  }

  /** On abort the agent gets a request to cancel; if it does not confirm in time, the connection is closed. */
  #cancelling(sessionId: string, signal: AbortSignal): () => void {
    const { world = realWorld } = this.#options;
    let cancelAlarm = () => {};
    const cancel = () => {
      // The connection may be closed already; then the prompt has ended with it.
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
    this.#writeAll(this.#updates.flush());
    const { turns, error } = this.#updates;
    const failure =
      error === undefined
        ? (stopFailure(Stopped.parse(response).stopReason, signal.aborted) ?? (turns === 0 ? UNANSWERED : undefined))
        : errorFailure({ code: 0, message: error }, this.#now());
    const reported = promptUsage({ response, costUsd: this.#cost(), turns });
    // The response to a cancelled prompt may omit calls that were made.
    const usage: Usage = signal.aborted && reported.kind === 'none' ? { kind: 'unknown' } : reported;
    this.#options.writeLine({ type: 'usage', usage: failure && this.#isFree(failure) ? { kind: 'none' } : usage });
    if (failure !== undefined) return failure;
    const text = this.#updates.text.trim();
    const output = this.#input.outputSchema === undefined ? parseJsonObject(text) : finalJson(text);
    this.#options.writeLine({ type: 'result', isError: false, text, ...(output === undefined ? {} : { output }) });
    return undefined;
  }

  /** Updates replayed from an earlier session are not reported; only their cost is used. */
  #onUpdate(update: unknown): void {
    const events = this.#updates.read(update);
    if (!this.#isPrompted) return;
    this.#writeAll(events);
    const costUsd = this.#cost();
    if (costUsd === undefined || costUsd === this.#reportedCostUsd) return;
    this.#reportedCostUsd = costUsd;
    this.#options.writeLine({
      type: 'spent',
      usage: promptUsage({ response: {}, costUsd, turns: this.#updates.turns }),
    });
  }

  #onPermission(request: PermissionRequest): boolean {
    this.#writeAll(this.#updates.permissionRequested(request.toolCall));
    const rawInput = request.toolCall.rawInput ?? this.#updates.inputOf(request.toolCall.toolCallId);
    const toolCall = { ...request.toolCall, rawInput };
    const refusal = refusalOf({ ...request, toolCall }, this.#input);
    if (refusal === undefined) return true;
    const tool = toolCall.name ?? toolCall.title ?? toolCall.kind ?? 'a tool';
    this.#options.writeLine({ type: 'permission-denied', tool, message: `${tool} was not allowed: ${refusal}` });
    return false;
  }

  /** The reported cost covers the whole session: for a resumed one only the increase over a known sum is known. */
  #cost(): number | undefined {
    const { costUsd } = this.#updates;
    if (costUsd === undefined) return undefined;
    if (this.#costBefore !== undefined) return Math.max(0, costUsd - this.#costBefore);
    return this.#input.session === undefined ? costUsd : undefined;
  }

  #writeAll(lines: readonly AcpLine[]): void {
    for (const line of lines) this.#options.writeLine(line);
  }
}
