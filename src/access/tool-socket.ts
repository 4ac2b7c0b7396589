import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AttemptTools, OpenTools, ToolsOwner } from '../engine/attempt/attempt-tools.ts';
import { AppError } from '../errors.ts';
import { isTokenOf, toolToken } from '../store/credentials/tool-tokens.ts';
import { writePrivate } from '../store/private-file.ts';
import { crashpoint, type World } from '../world.ts';
import type { Handle } from './socket/connection.ts';
import { serveSocket } from './socket/server.ts';
import { socketPath } from './socket/socket-path.ts';
import { LONGEST_ARGUMENTS, TOOLS_FILE, ToolRequest } from './socket/tool-client.ts';

/** A call whose token is verified. */
export type ToolCall = Parameters<NonNullable<AttemptTools['call']>>[1];

/** How the calls of one attempt are answered. */
type ToolSocket = {
  owner: ToolsOwner;
  /** The key that its token is made with. */
  key: string;
  call(request: ToolCall, signal: AbortSignal): Promise<unknown>;
  /** Records what is refused before it is a call. */
  refuse(what: string): Promise<void>;
  /** Whether the attempt may continue after this process, which then keeps what its agent needs. */
  isContinued(): boolean;
};

/** A request has the arguments, an id and a token, and little else. */
const LONGEST_REQUEST_BYTES = LONGEST_ARGUMENTS + 16_384;
/** What one attempt may use of the engine: more is a program that has gone wrong, or an attack. */
const MOST_CONNECTIONS = 32;
const MOST_UNREAD_BYTES = 4 * 1024 * 1024;
const MOST_CALLS_AT_ONCE = 64;
const MOST_CALLS = 100_000;
const MOST_ARGUMENT_BYTES = 32 * 1024 * 1024;

/** What an attempt has used since this process opened its tools. */
type ToolUsage = { atOnce: number; calls: number; argumentBytes: number };

/** Opens the socket of an attempt in its folder, with the file that says how it is reached. */
export async function openToolSocket(tools: ToolSocket, world: World): Promise<OpenTools> {
  const { owner, key, refuse, isContinued } = tools;
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
      onOversize: () => void refuse('a request that is too long').catch(() => {}),
      handle: (request, { signal }) => handleWithin(tools, usage, { request, signal }),
    },
    world,
  );
  await writePrivate(file, { socket, token: toolToken(key, owner.id), command }, world);
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
      if (isContinued()) return;
      await rm(file, { recursive: true, force: true });
      if (isElsewhere) await rm(dirname(socket), { recursive: true, force: true });
    },
  };
}

type Handled = { request: Parameters<Handle>[0]; signal: AbortSignal };

/** Refuses what is above the limits of an attempt, before anything else is done for it. */
async function handleWithin(tools: ToolSocket, usage: ToolUsage, handled: Handled): Promise<unknown> {
  const { operation: tool, input } = handled.request;
  usage.calls += 1;
  usage.argumentBytes += JSON.stringify(input ?? null).length;
  const limit = exceededLimit(usage);
  if (limit !== undefined) {
    await tools.refuse(`${tool}: more than ${limit}`);
    throw new AppError('TOOL_REFUSED', `An attempt may use at most ${limit}`);
  }
  usage.atOnce += 1;
  try {
    return await handle(tools, handled);
  } finally {
    usage.atOnce -= 1;
  }
}

async function handle({ owner, key, call, refuse }: ToolSocket, { request, signal }: Handled): Promise<unknown> {
  const { operation: tool, input } = request;
  const found = ToolRequest.safeParse(input);
  if (!found.success || !isTokenOf(key, owner.id, found.data.token)) {
    await refuse(`${tool} with the token of another attempt`);
    throw new AppError('TOOL_REFUSED', 'The token does not belong to this attempt');
  }
  const { token: _, ...rest } = found.data;
  return call({ tool, ...rest }, signal);
}

function exceededLimit({ atOnce, calls, argumentBytes }: ToolUsage): string | undefined {
  if (atOnce >= MOST_CALLS_AT_ONCE) return `${MOST_CALLS_AT_ONCE} calls at once`;
  if (calls > MOST_CALLS) return `${MOST_CALLS} calls`;
  return argumentBytes > MOST_ARGUMENT_BYTES ? `${MOST_ARGUMENT_BYTES / 1024 / 1024} MB of arguments` : undefined;
}

/** The built program if there is one, else its source, which Node runs directly. */
function toolsProgram(): string[] {
  const built = fileURLToPath(new URL('./agent-tools.js', import.meta.url));
  const source = fileURLToPath(new URL('../mcp/agent-tools-program.ts', import.meta.url));
  return [process.execPath, existsSync(built) ? built : source];
}
