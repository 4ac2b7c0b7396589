import { connect, createServer, type Server, type Socket } from 'node:net';
import { realWorld } from '../../world.ts';

const RETRY_MS = 100;
const RETRIES = 200;

/** Listens on a port of the loopback, and connects whoever connects to it with the socket of a network session; `to` names a port of the machine instead of the proxy. Without a socket it refuses. */
export function bridgePort(
  path: string | undefined,
  port: number,
  { to, host = '127.0.0.1' }: { to?: number | undefined; host?: string } = {},
): Promise<Server> {
  const server = createServer(
    { allowHalfOpen: true, pauseOnConnect: true },
    (client) => void (path === undefined ? client.destroy() : serve(path, client, to)),
  );
  return new Promise((resolve, reject) => server.once('error', reject).listen(port, host, () => resolve(server)));
}

/** Shows the proxy that the sandbox exists, also after the proxy was restarted. */
export async function holdSession(path: string, hold: string): Promise<never> {
  for (;;) {
    const proxy = await reachProxy(path);
    proxy?.write(`CONNECT ${hold} HTTP/1.1\r\nHost: ${hold}\r\n\r\n`);
    if (proxy !== undefined)
      await new Promise((resolve) =>
        proxy
          .on('error', () => {})
          .resume()
          .once('close', resolve),
      );
  }
}

async function serve(path: string, client: Socket, port: number | undefined): Promise<void> {
  const proxy = await reachProxy(path);
  if (proxy === undefined) return void client.destroy();
  if (port !== undefined && !(await isConnected(proxy, `127.0.0.1:${port}`))) return void client.destroy();
  client.pipe(proxy).pipe(client);
  for (const [one, other] of [
    [client, proxy],
    [proxy, client],
  ] as const) {
    one.on('error', () => other.destroy());
    one.on('close', () => other.destroy());
  }
}

/** Waits while the proxy is being restarted. */
async function reachProxy(path: string): Promise<Socket | undefined> {
  for (let tries = 0; tries < RETRIES; tries += 1) {
    const socket = connect({ path, allowHalfOpen: true });
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    if (isOpen) return socket;
    await realWorld.sleep(RETRY_MS);
  }
  return undefined;
}

async function isConnected(proxy: Socket, to: string): Promise<boolean> {
  proxy.write(`CONNECT ${to} HTTP/1.1\r\nHost: ${to}\r\n\r\n`);
  let head = '';
  for await (const chunk of proxy.iterator({ destroyOnReturn: false })) {
    head += (chunk as Buffer).toString('latin1');
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) continue;
    if (head.length > end + 4) proxy.unshift(Buffer.from(head.slice(end + 4), 'latin1'));
    return head.startsWith('HTTP/1.1 200 ');
  }
  return false;
}
