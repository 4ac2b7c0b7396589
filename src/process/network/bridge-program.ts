import { closeSync, openSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { realWorld } from '../../world.ts';

/** What the two perl helpers of a sandbox do, for systems without perl: `port` passes a port on, anything else is the bridge. */
const isPort = process.argv[2] === 'port';
const [path = '', second = '', name = '', ...others] = process.argv.slice(isPort ? 3 : 2);
const RETRY_MS = 100;
const RETRIES = 200;
process.title = name;
for (const signal of ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGUSR1', 'SIGUSR2'] as const)
  process.on(signal, () => {});
if (isPort) {
  await Promise.all(Array.from({ length: Number(others[0]) }, () => park(Number(second))));
} else {
  await Promise.all(others.map((port, index) => listen(Number(port), index === 0)));
  void keepHeld();
}
closeSync(1);
// Otherwise a connection gets the number of standard output, which Node opens when it passes bytes on.
openSync('/dev/null', 'w');

/** Keeps one connection to the engine open; when it is requested, it is connected with the port, and another one takes its place. */
async function park(port: number): Promise<void> {
  const outside = connect({ path, allowHalfOpen: true });
  outside.on('error', () => {});
  await new Promise((resolve) => outside.once('connect', resolve).once('close', resolve));
  outside.once('data', () => {
    outside.pause();
    void park(port);
    const inside = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    inside.on('error', () => outside.end('-'));
    inside.once('connect', () => {
      outside.write('+');
      outside.pipe(inside).pipe(outside);
      outside.on('close', () => inside.destroy());
    });
  });
}

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
    proxy?.write(`CONNECT ${second} HTTP/1.1\r\nHost: ${second}\r\n\r\n`);
    if (proxy !== undefined)
      await new Promise((resolve) =>
        proxy
          .on('error', () => {})
          .resume()
          .once('close', resolve),
      );
  }
}
