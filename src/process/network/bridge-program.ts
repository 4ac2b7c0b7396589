import { closeSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { realWorld } from '../../world.ts';

/** What the perl bridge does, for systems without perl. */
const [path = '', hold = '', name = '', ...ports] = process.argv.slice(2);
const RETRY_MS = 100;
const RETRIES = 200;
process.title = name;
for (const signal of ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGUSR1', 'SIGUSR2'] as const)
  process.on(signal, () => {});
await Promise.all(ports.map((port, index) => listen(Number(port), index === 0)));
void keepHeld();
closeSync(1);

function listen(port: number, isProxy: boolean): Promise<void> {
  const server = createServer(
    { allowHalfOpen: true, pauseOnConnect: true },
    (client) => void serve(client, isProxy ? undefined : port),
  );
  return new Promise((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
}

async function serve(client: Socket, port: number | undefined): Promise<void> {
  const proxy = await reachProxy();
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
async function reachProxy(): Promise<Socket | undefined> {
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

/** Shows the proxy that the sandbox exists, also after the proxy was restarted. */
async function keepHeld(): Promise<void> {
  for (;;) {
    const proxy = await reachProxy();
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
