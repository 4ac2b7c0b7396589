import { execFile, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { NetworkProxy } from '../../../src/process/network/proxy-client.ts';
import { bubblewrapCommand } from '../../../src/process/sandbox/bubblewrap.ts';
import { SANDBOX } from '../../support/sandbox.ts';
import { until } from '../../support/until.ts';
import { PATH, temporaryFolder } from '../launching.ts';

const opened: { close(): unknown }[] = [];
afterEach(() => {
  for (const each of opened.splice(0)) each.close();
});

async function startServer(): Promise<number> {
  const server = createServer((message, response) => {
    response.end(`${message.url} ${message.headers['x-api-key'] ?? ''}`);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  opened.push({ close: () => server.close(() => {}).closeAllConnections() });
  return (server.address() as AddressInfo).port;
}

/** The proxy of a folder with a path that is too long for a socket. */
function makeProxy(): { proxy: NetworkProxy; home: string; folder: string } {
  const home = join(temporaryFolder(), 'x'.repeat(120));
  return { proxy: new NetworkProxy(home, process.env), home, folder: join(home, 'network') };
}

function proxyPids(folder: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isProxy(commandLine(name), folder))
    .map(Number);
}

function isProxy(command: string, folder: string): boolean {
  return command.startsWith(process.execPath) && command.includes(folder);
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    // It has ended.
    return '';
  }
}

describe.skipIf(SANDBOX.missing)(`the network ${SANDBOX.title}`, () => {
  async function runIn(folder: string, script: string, network: { proxy?: string; ports?: number[] }): Promise<string> {
    const env = { PATH, HOME: '/home/nobody', HTTPS_PROXY: 'http://127.0.0.1:9' };
    const command = bubblewrapCommand(
      SANDBOX.program,
      { command: ['/bin/sh', '-c', script], cwd: '/', env },
      { read: [], write: [], hidden: [folder], network },
    );
    const child = spawn(command[0] ?? '', command.slice(1), { env, stdio: ['ignore', 'pipe', 'inherit'] });
    return text(child.stdout);
  }
  const curl = (arguments_: string) => `curl -s -m 20 -w ' %{http_code}\\n' ${arguments_}`;

  test('without a proxy has only its own loopback', async () => {
    const port = await startServer();
    const script = `echo "[$HTTPS_PROXY]"; ${curl(`http://127.0.0.1:${port}/`)}; ${curl('--noproxy "*" http://93.184.216.34/')}; ls /sys/class/net /proc/sys/net/ipv4/conf 2>/dev/null`;
    const output = await runIn('/nowhere', script, {});
    expect(output).toMatch(/^\[\]\n 000\n 000\n/);
    expect(output).not.toMatch(/eth0/);
  });

  test('reaches listed hosts through the proxy and its own port, and nothing else', async () => {
    const [port, other] = [await startServer(), await startServer()];
    const { proxy, folder } = makeProxy();
    const shown = await proxy.open({
      id: 'run-1',
      allow: [{ host: '127.0.0.1', ports: [port], isPrivate: true }],
      routes: [
        { name: 'key', upstream: `http://127.0.0.1:${port}`, keys: [{ placeholder: 'placeholder', secret: 'real' }] },
      ],
    });
    const script = [
      curl(`http://127.0.0.1:${port}/own-port`),
      curl(`--noproxy '' http://127.0.0.1:${port}/by-proxy`),
      curl(`--noproxy '' http://127.0.0.1:${other}/other`),
      curl(`http://127.0.0.1:${other}/other`),
      curl('https://unlisted.example/'),
      curl("-H 'x-api-key: placeholder' http://127.0.0.1:61080/key/v1"),
      `head -c 3000000 /dev/zero | ${curl(`-o /dev/null --data-binary @- http://127.0.0.1:${port}/large`)}`,
    ].join('\n');
    const lines = (await runIn(folder, script, { proxy: shown, ports: [port] })).trim().split('\n');
    expect(lines.filter((line) => !line.startsWith('Manyhands:'))).toEqual([
      '/own-port  200',
      '/by-proxy  200',
      ' 403',
      ' 000',
      ' 000',
      '/v1 real 200',
      ' 200',
    ]);
    const use = await proxy.close('run-1');
    expect(use).toEqual({
      interruptions: 0,
      hosts: [
        { host: `127.0.0.1:${port}`, requests: 4, refused: 0 },
        { host: `127.0.0.1:${other}`, requests: 1, refused: 1 },
        { host: 'unlisted.example', requests: 1, refused: 1 },
      ],
    });
    await proxy.leave();
    await until(() => proxyPids(folder).length === 0);
    expect(existsSync(shown)).toBe(false);
  });

  test('continues when the engine is replaced and when the proxy is killed; the latter is reported', async () => {
    const port = await startServer();
    const { proxy, home, folder } = makeProxy();
    const rules = { id: 'run-2', allow: [{ host: '127.0.0.1', ports: [port], isPrivate: true }], routes: [] };
    const shown = await proxy.open(rules);
    const running = runIn(
      folder,
      `for n in 1 2 3 4 5 6 7 8 9; do ${curl(`http://127.0.0.1:${port}/$n`)}; sleep 0.3; done`,
      {
        proxy: shown,
        ports: [port],
      },
    );
    await until(() => proxyPids(folder).length === 1);
    const [pid = 0] = proxyPids(folder);
    await proxy.leave();
    const next = new NetworkProxy(home, process.env);
    expect(next.isOpen('run-2')).toBe(true);
    await next.open(rules);
    expect(proxyPids(folder)).toEqual([pid]);
    process.kill(pid, 'SIGKILL');
    const lines = (await running).trim().split('\n');
    expect(lines.at(-1)).toBe('/9  200');
    expect(lines.filter((line) => line.endsWith(' 200')).length).toBeGreaterThanOrEqual(8);
    const use = await next.close('run-2');
    expect(use.interruptions).toBe(1);
    expect(use.hosts[0]?.host).toBe(`127.0.0.1:${port}`);
    await next.leave();
    await until(() => proxyPids(folder).length === 0);
  });

  test('without an engine the proxy ends with the last sandbox that uses it', async () => {
    const { proxy, home, folder } = makeProxy();
    const shown = await proxy.open({ id: 'run-3', allow: [], routes: [] });
    const running = runIn(folder, 'sleep 1', { proxy: shown });
    await proxy.leave();
    await running;
    expect(proxyPids(folder)).toHaveLength(1);
    await until(() => proxyPids(folder).length === 0);
    expect(readdirSync(folder).filter((name) => name.includes('run-3'))).toEqual(['run-3.use.json']);
    // A later engine reads what it requested, without a proxy.
    const next = new NetworkProxy(home, process.env);
    expect([next.isOpen('run-3'), await next.close('run-3'), next.isOpen('run-3')]).toEqual([
      true,
      { hosts: [], interruptions: 0 },
      false,
    ]);
    expect(proxyPids(folder)).toEqual([]);
  });
});

test('the bridge for systems without perl does the same', async () => {
  const port = await startServer();
  const home = temporaryFolder();
  const proxy = new NetworkProxy(home, process.env);
  const shown = await proxy.open({
    id: 'run-4',
    allow: [{ host: '127.0.0.1', ports: [port], isPrivate: true }],
    routes: [],
  });
  const [listened, forwarded] = [await freePort(), await freePort()];
  const program = fileURLToPath(new URL('../../../src/process/network/bridge-program.ts', import.meta.url));
  const words = [
    join(shown, 'proxy.sock'),
    'hold.manyhands.invalid:1',
    'mh-bridge',
    String(listened),
    String(forwarded),
  ];
  const bridge = spawn(process.execPath, [program, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    // It listens when it closes its standard output.
    await text(bridge.stdout);
    const by = async (url: string, ...more: string[]) =>
      (await promisify(execFile)('curl', ['-s', '-m', '10', ...more, url])).stdout;
    expect(await by(`http://127.0.0.1:${port}/x`, '--noproxy', ',', '-x', `http://127.0.0.1:${listened}`)).toBe('/x ');
    await expect(by(`http://127.0.0.1:${forwarded}/x`)).rejects.toThrow();
    expect((await proxy.close('run-4')).hosts).toEqual([
      { host: `127.0.0.1:${port}`, requests: 1, refused: 0 },
      { host: `127.0.0.1:${forwarded}`, requests: 1, refused: 1 },
    ]);
  } finally {
    bridge.kill('SIGKILL');
    await proxy.leave();
  }
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise<unknown>((done) => server.close(done));
  return port;
}
