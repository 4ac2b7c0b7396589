import { readFile } from 'node:fs/promises';
import { type ClientConnection, methods, PROTOCOL_VERSION } from '@agentclientprotocol/sdk/unstable';
import { z } from 'zod';
import { messageOf } from '../../errors.ts';
import { type Conversation, startConversation } from '../../process/conversation.ts';
import type { Failure, FailureKind } from '../../schema/failure.ts';
import { realWorld, type World } from '../../world.ts';
import { finalJson } from '../final-json.ts';
import { parseJsonObject } from '../json-object.ts';
import { mcpServers, promptBlocks } from './ask.ts';
import { chooseMode, chooseModel, Greeting, Opened } from './capabilities.ts';
import { connectClient } from './client.ts';
import { errorFailure, stopFailure } from './failure.ts';
import type { AcpLine } from './line.ts';
import type { AcpOrder } from './order.ts';
import { Updates } from './updates.ts';
import { promptUsage } from './usage.ts';

/** What surrounds a talk with an agent. */
export interface TalkOptions {
  env: Record<string, string>;
  tell: (line: AcpLine) => void;
  /** What the agent writes to its error channel. */
  onErrors: (chunk: Buffer) => void;
  world?: World;
}

/** How long an agent that is told to stop may take to say so, and then to end. */
const CANCEL_MS = 2_500;
const GRACE_MS = 1_000;

const Stopped = z.looseObject({ stopReason: z.string() });

/** Failures that say of a first answer that no model has worked on it. */
const REFUSALS: ReadonlySet<FailureKind> = new Set([
  ...(['rate-limit', 'usage-limit', 'overloaded', 'auth', 'billing', 'model-not-found', 'context-full'] as const),
]);

/** Speaks with an agent from greeting to result, telling what happens; returns what went wrong, if anything. */
export async function talk(order: AcpOrder, options: TalkOptions, signal: AbortSignal): Promise<Failure | undefined> {
  let conversation: Conversation;
  try {
    conversation = await startConversation(order.command, { cwd: order.workspace, env: options.env });
  } catch (error) {
    return { kind: 'environment', message: `${order.command[0]} cannot be started: ${messageOf(error)}` };
  }
  conversation.errors.on('data', options.onErrors);
  const talking = new Talk(order, conversation, options);
  const failure = await talking.run(signal);
  const { code, signal: ended } = await conversation.finish(GRACE_MS);
  if (failure?.kind !== 'crashed') return failure;
  return { ...failure, message: `${failure.message} (the agent ended with ${ended ?? `exit code ${code}`})` };
}

class Talk {
  readonly #order: AcpOrder;
  readonly #options: TalkOptions;
  readonly #updates: Updates;
  readonly #connection: ClientConnection;
  #isListening = false;
  #isPrompted = false;
  #costBefore: number | undefined;

  constructor(order: AcpOrder, conversation: Conversation, options: TalkOptions) {
    this.#order = order;
    this.#options = options;
    this.#updates = new Updates(order.workspace);
    this.#connection = connectClient(conversation, order, {
      onUpdate: (update) => this.#heard(update),
      onPermission: (request, granted) => {
        const { toolCall } = request;
        this.#tellAll(this.#updates.asked(toolCall));
        const tool = toolCall.name ?? toolCall.title ?? toolCall.kind ?? 'a tool';
        if (!granted) options.tell({ type: 'permission-denied', tool, message: `${tool} was not allowed` });
      },
    });
  }

  async run(signal: AbortSignal): Promise<Failure | undefined> {
    try {
      const greeting = Greeting.parse(await this.#greet());
      const { id, opened } = await this.#open(greeting);
      this.#options.tell({ type: 'session', id });
      const missing = await this.#settle(id, opened);
      return missing ?? (await this.#prompt(id, greeting, signal));
    } catch (error) {
      this.#tellAll(this.#updates.flush());
      const failure = this.#failure(error, signal);
      if (this.#isPrompted && this.#updates.turns === 0 && REFUSALS.has(failure.kind)) {
        this.#options.tell({ type: 'spent', usage: { kind: 'none' } });
      }
      return failure;
    } finally {
      this.#connection.close();
    }
  }

  #failure(error: unknown, signal: AbortSignal): Failure {
    if (signal.aborted) return { kind: 'interrupted', message: 'It was stopped before it had finished' };
    if (this.#connection.signal.aborted) return { kind: 'crashed', message: 'It ended before it had answered' };
    return errorFailure(error);
  }

  #request(method: string, params: object): Promise<unknown> {
    return this.#connection.agent.request<unknown>(method, params);
  }

  #greet(): Promise<unknown> {
    return this.#request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      clientInfo: { name: 'manyhands', version: '1' },
    });
  }

  /** An earlier session is gone on with where the agent can; one that it has lost is begun anew, as the prompt says all. */
  async #open({ agentCapabilities: can }: Greeting): Promise<{ id: string; opened: Opened }> {
    const { workspace: cwd, session, addDirs } = this.#order;
    const params = {
      cwd,
      mcpServers: mcpServers(this.#order, can.mcpCapabilities.http),
      ...(can.sessionCapabilities.additionalDirectories && addDirs.length > 0
        ? { additionalDirectories: addDirs }
        : {}),
      // Claude obeys no settings of the repository, which could run code.
      _meta: { claudeCode: { options: { settingSources: [] } } },
    };
    const method = can.sessionCapabilities.resume
      ? methods.agent.session.resume
      : can.loadSession
        ? methods.agent.session.load
        : undefined;
    if (session !== undefined && method !== undefined) {
      try {
        const opened = Opened.parse((await this.#request(method, { ...params, sessionId: session })) ?? {});
        return { id: session, opened };
      } catch (error) {
        if (this.#connection.signal.aborted) throw error;
        this.#options.tell({ type: 'retry', message: `The session cannot be resumed: ${messageOf(error)}` });
      }
    }
    const opened = Opened.parse(await this.#request(methods.agent.session.new, params));
    return { id: z.string().parse(opened.sessionId), opened };
  }

  /** Puts the session into a mode in which it asks us, and onto the wanted model. */
  async #settle(sessionId: string, opened: Opened): Promise<Failure | undefined> {
    const modeId = chooseMode(opened, this.#order.access);
    if (modeId !== undefined) await this.#request(methods.agent.session.setMode, { sessionId, modeId });
    if (this.#order.model === undefined) return undefined;
    const choice = chooseModel(opened, this.#order.model);
    switch (choice.kind) {
      case 'current':
        return undefined;
      case 'missing':
        return { kind: 'model-not-found', message: `The agent does not offer the model ${this.#order.model}` };
      case 'option':
        await this.#request(methods.agent.session.setConfigOption, {
          sessionId,
          configId: choice.configId,
          value: choice.value,
        });
        return undefined;
      case 'model':
        await this.#request('session/set_model', { sessionId, modelId: choice.modelId });
        return undefined;
    }
  }

  async #prompt(sessionId: string, greeting: Greeting, signal: AbortSignal): Promise<Failure | undefined> {
    const text = await readFile(this.#order.promptFile, 'utf8');
    const prompt = promptBlocks(text, this.#order, greeting.agentInfo?.name ?? '');
    signal.throwIfAborted();
    this.#isListening = true;
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
    const { turns } = this.#updates;
    const usage = promptUsage({ response, costUsd: this.#cost(), turns });
    this.#options.tell({ type: 'usage', usage });
    const failure = stopFailure(Stopped.parse(response).stopReason, signal.aborted);
    if (failure !== undefined) return failure;
    const text = this.#updates.text.trim();
    const output = this.#order.outputSchema === undefined ? parseJsonObject(text) : finalJson(text);
    this.#options.tell({ type: 'result', isError: false, text, ...(output === undefined ? {} : { output }) });
    return undefined;
  }

  /** What the agent repeats of an earlier session is no news, but for what that had cost. */
  #heard(update: unknown): void {
    const events = this.#updates.take(update);
    const { costUsd } = this.#updates;
    if (!this.#isListening) this.#costBefore = costUsd;
    else this.#tellAll(events);
    if (!this.#isListening || this.#cost() === undefined) return;
    const usage = promptUsage({ response: {}, costUsd: this.#cost(), turns: this.#updates.turns });
    this.#options.tell({ type: 'spent', usage });
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
