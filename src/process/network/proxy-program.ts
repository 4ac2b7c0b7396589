import { closeSync, writeSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { realWorld } from '../../world.ts';
import { ANNOUNCE_FD } from '../detached.ts';
import { openProxySession, type ProxySession } from './proxy-session.ts';
import {
  type ControlAnswer,
  ControlRequest,
  type HostUse,
  PROXY_FILES,
  readUse,
  type SessionRules,
  UPSTREAM_VARIABLE,
} from './session-rules.ts';

/** A session that is open, and how many of its connections are. */
type OpenSession = { session: ProxySession; connections: number; cancelWrite: (() => void) | undefined };

/** Without an engine, a session ends this long after its sandbox closed its last connection. */
const ORPHAN_MS = 1_000;
/** An engine that starts the proxy connects within this time, also on a busy machine. */
const START_MS = 20_000;
/** With an engine, the proxy ends this long after its last session; the engine starts it again. */
const IDLE_MS = 60_000;
const WRITE_MS = 300;

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new TypeError('The folder of the proxy is missing');
// The folder may have a path that is too long for a socket; relative ones are not.
process.chdir(folder);
await serve(URL.parse(process.env[UPSTREAM_VARIABLE] ?? '') ?? undefined);

/** Serves the sessions of a data directory until no engine and no sandbox uses one. */
async function serve(upstream: URL | undefined): Promise<void> {
  const sessions = new Map<string, OpenSession>();
  const engines = new Set<Socket>();
  let cancelEnd = () => {};
  const endWhenUnused = () => {
    cancelEnd();
    if (!control.listening || (engines.size > 0 && sessions.size > 0)) return;
    const waitMs = engines.size > 0 ? IDLE_MS : sessions.size > 0 ? ORPHAN_MS : 0;
    cancelEnd = realWorld.alarm(realWorld.now() + waitMs, () => void endUnused());
  };
  const endUnused = async () => {
    if (engines.size === 0) {
      for (const [id, { connections }] of sessions) if (connections === 0) await close(id);
    }
    if (sessions.size > 0) return;
    // Nothing keeps the process any more.
    control.close();
    for (const engine of engines) engine.destroy();
  };

  const open = async (rules: SessionRules): Promise<ControlAnswer> => {
    const { id } = rules;
    const known = sessions.get(id);
    known?.session.setRules(rules);
    if (known !== undefined) return { type: 'opened', id, isNew: false };
    const opened: OpenSession = {
      session: openProxySession(rules, {
        via: upstream,
        earlier: await readUse(PROXY_FILES.use(id)),
        onUse: () => writeSoon(id),
      }),
      connections: 0,
      cancelWrite: undefined,
    };
    const { server } = opened.session;
    server.on('connection', (socket) => {
      opened.connections += 1;
      socket.once('close', () => {
        opened.connections -= 1;
        if (opened.connections === 0) endWhenUnused();
      });
    });
    await mkdir(id, { recursive: true, mode: 0o700 });
    await rm(join(id, PROXY_FILES.socket), { force: true });
    await listen(server, join(id, PROXY_FILES.socket));
    sessions.set(id, opened);
    endWhenUnused();
    return { type: 'opened', id, isNew: true };
  };
  const writeSoon = (id: string) => {
    const opened = sessions.get(id);
    if (opened === undefined) return;
    opened.cancelWrite ??= realWorld.alarm(realWorld.now() + WRITE_MS, () => {
      opened.cancelWrite = undefined;
      // Counts that cannot be written, for example to a full disk, are still in memory.
      writeUse(id, opened.session.use()).catch(() => {});
    });
  };
  const close = async (id: string): Promise<ControlAnswer> => {
    const opened = sessions.get(id);
    if (opened === undefined) return { type: 'closed', id, hosts: await readUse(PROXY_FILES.use(id)) };
    sessions.delete(id);
    opened.cancelWrite?.();
    opened.session.close();
    const hosts = opened.session.use();
    await writeUse(id, hosts).catch(() => {});
    await rm(id, { recursive: true, force: true });
    endWhenUnused();
    return { type: 'closed', id, hosts };
  };
  const answer = async (line: string): Promise<ControlAnswer> => {
    try {
      const request = ControlRequest.parse(JSON.parse(line));
      return request.type === 'open' ? await open(request.session) : await close(request.id);
    } catch (error) {
      return { type: 'error', message: error instanceof Error ? error.message : String(error) };
    }
  };

  const control = createServer((engine) => {
    engines.add(engine);
    engine.on('error', () => {});
    engine.once('close', () => {
      engines.delete(engine);
      endWhenUnused();
    });
    let answered = Promise.resolve();
    createInterface({ input: engine }).on('line', (line) => {
      answered = answered.then(async () => void engine.write(`${JSON.stringify(await answer(line))}\n`));
    });
    endWhenUnused();
  });
  await rm(PROXY_FILES.control, { force: true });
  await listen(control, PROXY_FILES.control);
  writeSync(ANNOUNCE_FD, 'ready\n');
  closeSync(ANNOUNCE_FD);
  cancelEnd = realWorld.alarm(realWorld.now() + START_MS, () => void endUnused());
}

function listen(
  server: {
    listen(path: string, done: () => void): unknown;
    once(event: 'error', fail: (error: Error) => void): unknown;
  },
  path: string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
}

async function writeUse(id: string, hosts: readonly HostUse[]): Promise<void> {
  await writeFile(PROXY_FILES.use(id), JSON.stringify(hosts), { mode: 0o600 });
}
