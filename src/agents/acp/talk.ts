import { readFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { type ClientConnection, methods, PROTOCOL_VERSION } from '@agentclientprotocol/sdk/unstable';
import { z } from 'zod';
import { messageOf } from '../../errors.ts';
import { type Conversation, startConversation } from '../../process/conversation.ts';
import type { Failure, FailureKind } from '../../schema/failure.ts';
import { realWorld, type World } from '../../world.ts';
import { exitFailure } from '../exit-failure.ts';
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

/** What went wrong, if anything, and the exit code that says so: the agent's own if it ended in the middle. */
export interface TalkEnd {
  code: number;
  failure?: Failure;
}

/** How long an agent that is told to stop may take to say so, and then to end. */
const CANCEL_MS = 2_500;
const GRACE_MS = 1_000;

const INTERRUPTED: Failure = { kind: 'interrupted', message: 'It was stopped before it had finished' };
const { SIGHUP, SIGINT, SIGTERM } = constants.signals;
/** Whoever stops us may have asked the agent itself, too. */
const ASKED_TO_END: ReadonlySet<number> = new Set([SIGHUP, SIGINT, SIGTERM].map((number) => 128 + number));
const Stopped = z.looseObject({ stopReason: z.string() });

/** Failures that say of a first answer that no model has worked on it. */
const REFUSALS: ReadonlySet<FailureKind> = new Set([
  ...(['rate-limit', 'usage-limit', 'overloaded', 'auth', 'billing', 'model-not-found', 'context-full'] as const),
]);

/** Speaks with an agent from greeting to result, telling what happens. */
export async function talk(order: AcpOrder, options: TalkOptions, signal: AbortSignal): Promise<TalkEnd> {
  let conversation: Conversation;
  try {
    conversation = await startConversation(order.command, { cwd: order.workspace, env: options.env });
  } catch (error) {
    const message = `${order.command[0]} cannot be started: ${messageOf(error)}`;
    return { code: 127, failure: { kind: 'environment', message } };
  }
  conversation.errors.on('data', options.onErrors);
  const talking = new Talk(order, conversation, options);
  const end = await talking.run(signal);
  const { code } = await conversation.finish(GRACE_MS);
  if (end === undefined) return { code: 0 };
  if (end !== 'gone') return { code: 1, failure: end };
  const silent: Failure = { kind: 'crashed', message: 'It ended without an answer' };
  const failure = ASKED_TO_END.has(code) ? INTERRUPTED : exitFailure({ kind: 'exited', code });
  return { code: code || 1, failure: failure ?? silent };
}

class Talk {
  readonly #order: AcpOrder;
  readonly #options: TalkOptions;
  #updates: Updates;
  readonly #connection: ClientConnection;
  #isPrompted = false;
  #costBefore: number | undefined;
  #told: number | undefined;

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

  async run(signal: AbortSignal): Promise<Failure | 'gone' | undefined> {
    try {
      const greeting = Greeting.parse(await this.#greet());
      const { id, opened } = await this.#open(greeting);
      this.#options.tell({ type: 'session', id });
      const missing = await this.#settle(id, opened);
      return missing ?? (await this.#prompt(id, greeting, signal));
    } catch (error) {
      this.#tellAll(this.#updates.flush());
      if (!signal.aborted && this.#connection.signal.aborted) return 'gone';
      const failure = signal.aborted ? INTERRUPTED : errorFailure(error);
      if (this.#isPrompted && this.#updates.turns === 0 && REFUSALS.has(failure.kind)) {
        this.#options.tell({ type: 'spent', usage: { kind: 'none' } });
      }
      return failure;
    } finally {
      this.#connection.close();
    }
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
    const modeId = chooseMode(opened, this.#order);
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
    if (!this.#isPrompted) return;
    this.#tellAll(events);
    const costUsd = this.#cost();
    if (costUsd === undefined || costUsd === this.#told) return;
    this.#told = costUsd;
    this.#options.tell({ type: 'spent', usage: promptUsage({ response: {}, costUsd, turns: this.#updates.turns }) });
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
