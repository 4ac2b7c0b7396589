import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Caller } from '../../src/access/caller.ts';
import { takeToken } from '../../src/http/login/tokens.ts';
import { openHttp } from '../../src/http/server.ts';
import { makeLoginCode } from '../../src/store/credentials/login-codes.ts';
import { accessOfToken } from '../../src/store/credentials/order-token.ts';
import { realWorld, type World } from '../../src/world.ts';
import { writeFiles } from '../support/scratch.ts';

export type Call = { name: string; input: unknown };

export type OpenOptions = {
  world?: World;
  /** What operations answer. */
  answer?: (call: Call) => unknown;
  stream?: (call: Call, signal: AbortSignal) => AsyncIterable<unknown>;
  /** A folder of an earlier server, to open it again. */
  folder?: string;
  host?: string;
  names?: string[];
};

/** A server on a free port with folders of its own. */
export interface Opened extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly folder: string;
  readonly calls: Call[];
  readonly tokens: { operator: string; viewer: string };
  /** Asks as the operator, or as whoever the headers name. */
  ask(path: string, init?: RequestInit): Promise<Response>;
  code(): Promise<string>;
  /** Closes it and leaves its folder. */
  close(): Promise<void>;
}

const PAGE =
  '<!doctype html><meta name="style-nonce" content="{nonce}" /><script type="module" src="/main-ABCD1234.js"></script>';

/** Opens the real server before a caller that says what it is told to. */
export async function openServer(options: OpenOptions = {}): Promise<Opened> {
  const { world = realWorld } = options;
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'mh-http-'));
  const assets = join(folder, 'page');
  writeFiles(assets, { 'index.html': PAGE, 'main-ABCD1234.js': `export const a = '${'x'.repeat(2000)}';\n` });
  const calls: Call[] = [];
  const server = await openHttp({
    caller: callerOf(options, calls),
    host: options.host ?? '127.0.0.1',
    port: 0,
    names: options.names ?? [],
    folder: join(folder, 'server'),
    exchange: join(folder, 'exchange.git'),
    assets,
    version: '1.2.3',
    world,
    orderOf: (token) => accessOfToken(join(folder, 'server'), token, world),
  });
  const tokens = {
    operator: await takeToken(join(folder, 'server'), 'operator', { world }),
    viewer: await takeToken(join(folder, 'server'), 'viewer', { world }),
  };
  let isOpen = true;
  const close = async () => {
    if (isOpen) await server[Symbol.asyncDispose]();
    isOpen = false;
  };
  return {
    url: server.url,
    port: server.port,
    folder,
    calls,
    tokens,
    ask: (path, init = {}) =>
      fetch(`${server.url}${path}`, {
        redirect: 'manual',
        ...init,
        headers: init.headers ?? { authorization: `Bearer ${tokens.operator}` },
      }),
    code: () => makeLoginCode(join(folder, 'server'), { role: 'operator' }, { world }),
    close,
    [Symbol.asyncDispose]: async () => {
      await close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Sends bytes as they are, as no client library would, and gives the status and the whole answer. */
export async function sendRaw(port: number, lines: readonly string[]): Promise<{ status: number; answer: string }> {
  const socket = connect(port, '127.0.0.1');
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  // A server that has answered and reads no further cuts the connection; what it said may be lost.
  const answer = await text(socket).catch(() => '');
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0), answer };
}

function callerOf(options: OpenOptions, calls: Call[]): Caller {
  return {
    engine: () => 'own',
    call: async (name, input) => {
      calls.push({ name, input });
      return trusted((await options.answer?.({ name, input })) ?? {});
    },
    stream: () => {
      throw new Error('the server asks for batches');
    },
    async *batches(name, input, { signal = new AbortController().signal } = {}) {
      calls.push({ name, input });
      for await (const item of options.stream?.({ name, input }, signal) ?? []) yield [trusted(item)];
    },
    drain: async () => {},
    stop: async () => {},
    leave: async () => {},
    ending: new AbortController().signal,
    [Symbol.asyncDispose]: async () => {},
  };
}

function trusted<T>(value: unknown): T;
function trusted(value: unknown): unknown {
  return value;
}
