import { closeSync, existsSync, openSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { AppError, errorCode } from '../../errors.ts';
import { spawnDetached } from '../detached.ts';
import {
  ControlAnswer,
  type ControlRequest,
  type HostUse,
  PROXY_FILES,
  readUse,
  type SessionRules,
  UPSTREAM_VARIABLE,
} from './session-rules.ts';

/** What the programs of a session requested; `interruptions`: how often the proxy ended while it was open. */
export type SessionUse = { hosts: HostUse[]; interruptions: number };

type Connection = { send(request: ControlRequest): Promise<ControlAnswer>; close(): void };

/** What the proxy gets of the engine's environment. */
const PASSED_ON = ['PATH', 'HOME', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS'];
/** A proxy that ends again and again is not started more often than this for one session. */
const MOST_INTERRUPTIONS = 20;
/** Small: it only passes bytes on. */
const NODE_OPTIONS = ['--max-semi-space-size=1', '--max-old-space-size=256'];

/** The engine's view of the one proxy of its data directory: started when a session needs it, adopted from an earlier engine, and started again when it ends. */
export class NetworkProxy {
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #sessions = new Map<string, { rules: SessionRules; interruptions: number }>();
  #connection: Promise<Connection> | undefined;

  /** `env` is the environment of the engine: the person's own proxy, and certificates. */
  constructor(home: string, env: NodeJS.ProcessEnv) {
    this.#folder = join(home, 'network');
    this.#env = env;
  }

  /** Opens a session, or continues it with these rules; gives the folder that its sandbox needs. */
  async open(rules: SessionRules): Promise<string> {
    this.#sessions.set(rules.id, { rules, interruptions: this.#sessions.get(rules.id)?.interruptions ?? 0 });
    await this.#send({ type: 'open', session: rules });
    return this.folderOf(rules.id);
  }

  folderOf(id: string): string {
    return join(this.#folder, id);
  }

  /** Ends a session, also one of an earlier engine, and gives what it requested; with `isKept` once more after a crash, until `forget`. */
  async close(id: string, { isKept = false } = {}): Promise<SessionUse> {
    const interruptions = this.#sessions.get(id)?.interruptions ?? 0;
    this.#sessions.delete(id);
    const use = join(this.#folder, PROXY_FILES.use(id));
    const isServed = this.#connection !== undefined || (await isListening(this.#folder));
    const answer = isServed ? await this.#send({ type: 'close', id }) : undefined;
    const hosts = answer?.type === 'closed' ? answer.hosts : await readUse(use);
    await rm(this.folderOf(id), { recursive: true, force: true });
    if (!isKept) await this.forget(id);
    return { hosts, interruptions };
  }

  /** Removes the counts of a session that was closed and recorded. */
  async forget(id: string): Promise<void> {
    await rm(join(this.#folder, PROXY_FILES.use(id)), { force: true });
  }

  /** Whether a session of this name was opened, by this engine or an earlier one, and not closed. */
  isOpen(id: string): boolean {
    const files = [this.folderOf(id), join(this.#folder, PROXY_FILES.use(id))];
    return this.#sessions.has(id) || files.some((file) => existsSync(file));
  }

  /** Leaves the proxy to the sandboxes that still use it; it ends with the last of them. */
  async leave(): Promise<void> {
    this.#sessions.clear();
    const connection = this.#connection;
    this.#connection = undefined;
    // One that failed has nothing to close.
    (await connection?.catch(() => undefined))?.close();
  }

  async #send(request: ControlRequest): Promise<ControlAnswer> {
    for (let isSecond = false; ; isSecond = true) {
      const connection = await this.#connected();
      try {
        const answer = await connection.send(request);
        if (answer.type !== 'error') return answer;
        throw new AppError('INTERNAL', `The network proxy refused a request: ${answer.message}`);
      } catch (error) {
        // It may have ended, unused, just before the request.
        if (isSecond || !(error instanceof ConnectionLost)) throw error;
      }
    }
  }

  #connected(): Promise<Connection> {
    if (this.#connection !== undefined) return this.#connection;
    const connecting = this.#connect();
    this.#connection = connecting;
    connecting.catch(() => {
      if (this.#connection === connecting) this.#connection = undefined;
    });
    return connecting;
  }

  async #connect(): Promise<Connection> {
    const folder = this.#folder;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const socket = (await dial(folder)) ?? (await this.#start());
    const connection = connectionOn(socket, () => this.#lost());
    return connection;
  }

  async #start(): Promise<Socket> {
    const folder = this.#folder;
    const env = this.#env;
    const passed = PASSED_ON.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
    const via = env.HTTPS_PROXY ?? env.https_proxy ?? env.HTTP_PROXY ?? env.http_proxy ?? '';
    const { announcement } = await spawnDetached([process.execPath, ...NODE_OPTIONS, proxyProgram(), folder], {
      cwd: '/',
      env: { ...Object.fromEntries(passed), [UPSTREAM_VARIABLE]: via },
      logFile: join(folder, PROXY_FILES.log),
    });
    await announcement;
    const socket = await dial(folder);
    if (socket !== undefined) return socket;
    throw new AppError('INTERNAL', `The network proxy did not start; ${join(folder, PROXY_FILES.log)} says why`);
  }

  /** The proxy ended: sessions that are open continue in a new one. */
  #lost(): void {
    this.#connection = undefined;
    for (const [id, session] of this.#sessions) {
      session.interruptions += 1;
      if (session.interruptions > MOST_INTERRUPTIONS) this.#sessions.delete(id);
    }
    for (const { rules } of this.#sessions.values()) {
      // A proxy that cannot be started again is noticed by the programs that need it, and when a session is closed.
      this.#send({ type: 'open', session: rules }).catch(() => {});
    }
  }
}

class ConnectionLost extends Error {}

/** A connection to the proxy that serves this folder; undefined where none does. */
async function dial(folder: string): Promise<Socket | undefined> {
  // The path of the folder may be too long for a socket.
  const directory = openSync(folder, 'r');
  try {
    const path = process.platform === 'linux' ? `/proc/self/fd/${directory}` : folder;
    const socket = connect({ path: join(path, PROXY_FILES.control) });
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return socket;
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ECONNREFUSED') return undefined;
    throw error;
  } finally {
    closeSync(directory);
  }
}

async function isListening(folder: string): Promise<boolean> {
  if (!existsSync(folder)) return false;
  const socket = await dial(folder);
  socket?.destroy();
  return socket !== undefined;
}

/** Requests on a connection are answered in their order. */
function connectionOn(socket: Socket, onLost: () => void): Connection {
  const waiting: PromiseWithResolvers<ControlAnswer>[] = [];
  let isClosed = false;
  socket.unref();
  socket.on('error', () => {});
  socket.once('close', () => {
    const isLost = !isClosed;
    isClosed = true;
    for (const { reject } of waiting) reject(new ConnectionLost('The network proxy ended'));
    if (isLost) onLost();
  });
  createInterface({ input: socket })
    .on('line', (line) => {
      waiting.shift()?.resolve(ControlAnswer.parse(JSON.parse(line)));
    })
    // It passes on the errors of the socket: a killed proxy resets the connection.
    .on('error', () => {});
  return {
    send(request) {
      if (isClosed) return Promise.reject(new ConnectionLost('The network proxy has ended'));
      const answer = Promise.withResolvers<ControlAnswer>();
      waiting.push(answer);
      socket.ref();
      socket.write(`${JSON.stringify(request)}\n`);
      return answer.promise.finally(() => waiting.length === 0 && socket.unref());
    },
    close() {
      isClosed = true;
      socket.end();
    },
  };
}

/** The built program if there is one, else its source, which Node runs directly. */
function proxyProgram(): string {
  const built = fileURLToPath(new URL('./network-proxy.js', import.meta.url));
  return existsSync(built) ? built : fileURLToPath(new URL('./proxy-program.ts', import.meta.url));
}
