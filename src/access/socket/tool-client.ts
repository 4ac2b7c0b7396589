import { type FSWatcher, watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { AppError, isAbsent } from '../../errors.ts';
import { realWorld, type World } from '../../world.ts';
import { connectSocket, type SocketClient } from './client.ts';

/** The file in an attempt's folder that says how its tools are reached. */
export const TOOLS_FILE = 'tools.json';

/** The longest arguments of one call, in bytes of JSON. */
export const LONGEST_ARGUMENTS = 256 * 1024;

/** What a call sends: `arguments` is absent where they are too long. */
export const ToolRequest = z.object({
  token: z.string(),
  call: z.string().min(1).max(100),
  arguments: z.record(z.string(), z.unknown()).optional(),
});

const ToolsFile = z.object({ socket: z.string(), token: z.string(), command: z.array(z.string()) });

/** Without a notification of the file system the socket is looked for again after this time. */
const LOOK_AGAIN_MS = 2_000;

/** Calls the tools of an attempt; a call that the engine did not answer before it ended is repeated with the same id. */
export class ToolClient implements AsyncDisposable {
  readonly #file: string;
  readonly #world: World;
  readonly #ended = new AbortController();
  #connected: Promise<SocketClient> | undefined;

  constructor(file: string, world: World = realWorld) {
    this.#file = file;
    this.#world = world;
  }

  async call(tool: string, input: Record<string, unknown>, signal: AbortSignal): Promise<unknown> {
    const call = this.#world.token();
    const isTooLong = Buffer.byteLength(JSON.stringify(input)) > LONGEST_ARGUMENTS;
    for (;;) {
      const { socket, token } = await readToolsFile(this.#file);
      const client = await this.#connect(socket, signal);
      try {
        const request = { token, call, ...(isTooLong ? {} : { arguments: input }) };
        return await client.call(tool, request, { signal });
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'ENGINE_GONE') throw error;
        await client.closed;
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort();
    const client = await this.#connected?.catch(() => undefined);
    await client?.[Symbol.asyncDispose]();
  }

  /** The connection that all calls share. */
  async #connect(socket: string, signal: AbortSignal): Promise<SocketClient> {
    const connected = this.#connected ?? this.#open(socket);
    this.#connected = connected;
    const forget = () => {
      if (this.#connected === connected) this.#connected = undefined;
    };
    connected.then((client) => client.closed.then(forget), forget);
    const aborted = Promise.withResolvers<never>();
    const onAbort = () => aborted.reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await Promise.race([connected, aborted.promise]);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Connects as soon as an engine listens; while none does the attempt may still continue. */
  async #open(socket: string): Promise<SocketClient> {
    const { signal } = this.#ended;
    for (;;) {
      using changes = watchFolder(dirname(socket));
      const client = await connectSocket(socket, signal);
      if (client !== undefined) return client;
      await readToolsFile(this.#file);
      await this.#world.sleep(LOOK_AGAIN_MS, AbortSignal.any([signal, changes.signal])).catch(() => {});
      signal.throwIfAborted();
    }
  }
}

/** How the tools of an attempt are reached; the file is removed when the attempt ends. */
async function readToolsFile(file: string): Promise<z.infer<typeof ToolsFile>> {
  try {
    return ToolsFile.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    if (!isAbsent(error)) throw error;
    throw new AppError('TOOL_REFUSED', 'The attempt has ended, and its tools with it', { file });
  }
}

/** A signal that aborts when an entry of the folder changes. */
function watchFolder(folder: string): Disposable & { signal: AbortSignal } {
  const changed = new AbortController();
  let watcher: FSWatcher | undefined;
  try {
    watcher = watch(folder, () => changed.abort());
    watcher.on('error', () => watcher?.close());
  } catch {
    // Safe: without notifications the socket is looked for again after a while.
  }
  return { signal: changed.signal, [Symbol.dispose]: () => watcher?.close() };
}
