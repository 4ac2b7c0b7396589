import { existsSync } from 'node:fs';
import { realpath, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { App } from '../app.ts';
import { loadConfig } from '../config/load.ts';
import { refuseCall } from '../core/run/decide-run.ts';
import type { RunState } from '../core/run/state.ts';
import type { AttemptTools, OpenTools, ToolsOwner } from '../engine/attempt/attempt-tools.ts';
import { AppError } from '../errors.ts';
import type { Home } from '../home.ts';
import { operationOf, toolsFor } from '../mcp/tool.ts';
import type { Identity } from '../operations/authorize.ts';
import { dispatch } from '../operations/dispatch.ts';
import type { Origin } from '../schema/actor.ts';
import { configuredIntegrations, type Integration, integrationsOf } from '../schema/config/integrations.ts';
import { isTokenOf, loadToolKey, toolToken } from '../store/credentials/tool-tokens.ts';
import { writePrivate } from '../store/private-file.ts';
import { crashpoint, type World } from '../world.ts';
import type { Handle } from './socket/connection.ts';
import { serveSocket } from './socket/server.ts';
import { socketPath } from './socket/socket-path.ts';
import { LONGEST_ARGUMENTS, TOOLS_FILE, ToolRequest } from './socket/tool-client.ts';

type Sources = { home: Home; world: World; app: () => App };
type HandledRequest = Parameters<Handle>[0];
type HandledCall = Parameters<Handle>[1];

/** A request has the arguments, an id and a token, and little else. */
const LONGEST_REQUEST_BYTES = LONGEST_ARGUMENTS + 16_384;
/** What one attempt may use of the engine: more is a program that has gone wrong, or an attack. */
const MOST_CONNECTIONS = 32;
const MOST_UNREAD_BYTES = 4 * 1024 * 1024;
const MOST_CALLS_AT_ONCE = 64;
const MOST_CALLS = 100_000;
const MOST_ARGUMENT_BYTES = 32 * 1024 * 1024;

/** What an attempt has used since this engine opened its tools. */
type ToolUsage = { atOnce: number; calls: number; argumentBytes: number };

/** The refusals of tools that are recorded in the run. */
const RECORDED: readonly string[] = ['INPUT_INVALID', 'REFUSED', 'TASK_UNKNOWN'];

/** Opens a socket and a token of its own for each attempt; calls on it are operations of that attempt and of no other. */
export class AttemptSockets implements AttemptTools {
  readonly #sources: Sources;
  #key: Promise<string> | undefined;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  async open(owner: ToolsOwner): Promise<OpenTools> {
    const { world } = this.#sources;
    this.#key ??= loadToolKey({ root: this.#sources.home.root, world });
    const key = await this.#key;
    const token = toolToken(key, owner.id);
    const socket = socketPath(owner.folder, 'tools.sock');
    const file = join(owner.folder, TOOLS_FILE);
    const command = toolsProgram();
    crashpoint('tools.opening');
    const usage: ToolUsage = { atOnce: 0, calls: 0, argumentBytes: 0 };
    const server = await serveSocket(
      {
        path: socket,
        maxConnections: MOST_CONNECTIONS,
        maxUnreadBytes: MOST_UNREAD_BYTES,
        maxLineBytes: LONGEST_REQUEST_BYTES,
        onOversize: () => void this.#refuse(owner, 'a request that is too long').catch(() => {}),
        handle: (request, call) => this.#count(owner, usage, request, () => this.#handle(owner, key, request, call)),
      },
      world,
    );
    await writePrivate(file, { socket, token, command }, world);
    crashpoint('tools.opened');
    const [program = process.execPath, ...args] = command;
    const isElsewhere = dirname(socket) !== owner.folder;
    return {
      file,
      server: { command: program, args: [...args, file], env: {} },
      ...(isElsewhere ? { folder: dirname(socket) } : {}),
      [Symbol.asyncDispose]: async () => {
        await server[Symbol.asyncDispose]();
        // An agent that outlives this engine calls the next one.
        if (isCurrent(this.#sources.app().runs.state(owner.run), owner)) return;
        await rm(file, { force: true });
        if (isElsewhere) await rm(dirname(socket), { recursive: true, force: true });
      },
    };
  }

  /** Refuses what is above the limits of an attempt, before anything else is done for it. */
  async #count<T>(
    owner: ToolsOwner,
    usage: ToolUsage,
    { operation: tool, input }: HandledRequest,
    handle: () => Promise<T>,
  ): Promise<T> {
    usage.calls += 1;
    usage.argumentBytes += JSON.stringify(input ?? null).length;
    const limit = exceededLimit(usage);
    if (limit !== undefined) {
      await this.#refuse(owner, `${tool}: more than ${limit}`);
      throw new AppError('TOOL_REFUSED', `An attempt may use at most ${limit}`);
    }
    usage.atOnce += 1;
    try {
      return await handle();
    } finally {
      usage.atOnce -= 1;
    }
  }

  async #handle(
    owner: ToolsOwner,
    key: string,
    { operation: tool, input: sent }: HandledRequest,
    { signal }: HandledCall,
  ): Promise<unknown> {
    const request = ToolRequest.safeParse(sent);
    if (!request.success || !isTokenOf(key, owner.id, request.data.token)) {
      await this.#refuse(owner, `${tool} with the token of another attempt`);
      throw new AppError('TOOL_REFUSED', 'The token does not belong to this attempt');
    }
    const { call, arguments: given } = request.data;
    if (!isCurrent(this.#sources.app().runs.state(owner.run), owner)) {
      await this.#refuse(owner, `${tool} after the attempt has ended`);
      throw new AppError('TOOL_REFUSED', `Attempt ${owner.id} has ended, and its tools with it`);
    }
    const user = { role: 'attempt', access: owner.access } as const;
    if (tool === 'list-tools') return toolsFor({ ...user, integrations: await this.#integrations(owner) });
    if (given === undefined) {
      await this.#refuse(owner, `${tool} with arguments that are too long`);
      throw new AppError('TOOL_REFUSED', `The arguments of a tool are at most ${LONGEST_ARGUMENTS} bytes`);
    }
    const operation = operationOf(tool, user);
    if (operation === undefined) {
      await this.#refuse(owner, tool);
      throw new AppError('TOOL_REFUSED', `There is no tool ${tool} for this task`);
    }
    const own = { run: owner.run, task: owner.task, attempt: owner.attempt };
    const bound: Identity = { role: 'attempt', bound: { to: 'attempt', ...own } };
    // An id that the agent passes stays, so that one of another attempt is refused.
    const input = { ...own, ...given, call };
    try {
      return await dispatch(this.#sources.app(), { operation, input }, { signal, origin: originOf(owner) }, bound);
    } catch (error) {
      // Input that no tool takes, and more than a task may have; other refusals are recorded where they are decided.
      if (error instanceof AppError && RECORDED.includes(error.code))
        await this.#refuse(owner, `${tool}: ${error.message}`);
      throw error;
    }
  }

  /** Which integrations the person configured for the project of the run. */
  async #integrations({ run }: ToolsOwner): Promise<ReadonlySet<Integration>> {
    const app = this.#sources.app();
    const { integrations } = await loadConfig({ env: app.env });
    const { root } = app.runs.state(run).start.project;
    return configuredIntegrations(integrationsOf(integrations, root, await realpath(root).catch(() => root)));
  }

  async #refuse(owner: ToolsOwner, what: string): Promise<void> {
    const { control } = this.#sources.app();
    const { redact } = control?.activeRun(owner.run) ?? { redact: String };
    await control?.record(owner.run, (state) => refuseCall(state, redact(what).slice(0, 200)), originOf(owner));
  }
}

function exceededLimit({ atOnce, calls, argumentBytes }: ToolUsage): string | undefined {
  if (atOnce >= MOST_CALLS_AT_ONCE) return `${MOST_CALLS_AT_ONCE} calls at once`;
  if (calls > MOST_CALLS) return `${MOST_CALLS} calls`;
  return argumentBytes > MOST_ARGUMENT_BYTES ? `${MOST_ARGUMENT_BYTES / 1024 / 1024} MB of arguments` : undefined;
}

function originOf({ id }: ToolsOwner): Origin {
  return { actor: { kind: 'agent', attempt: id }, via: 'mcp' };
}

function isCurrent(state: RunState, { task, attempt }: ToolsOwner): boolean {
  const found = state.tasks[task];
  return found?.phase.status === 'running' && found.attempts[attempt - 1]?.ended === null;
}

/** The built program if there is one, else its source, which Node runs directly. */
function toolsProgram(): string[] {
  const built = fileURLToPath(new URL('./agent-tools.js', import.meta.url));
  const source = fileURLToPath(new URL('../mcp/agent-tools-program.ts', import.meta.url));
  return [process.execPath, existsSync(built) ? built : source];
}
