import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { holderMembership } from '../../src/process/launch-membership.ts';
import { NetworkProxy } from '../../src/process/network/proxy-client.ts';
import { SHIM_NAME } from '../../src/process/shim.ts';
import { temporaryFolder } from './launching.ts';

/** A process that looks like the shim of a launch in this folder. */
async function startShim(folder: string): Promise<AsyncDisposable> {
  const shim = spawn('/bin/sh', ['-c', 'echo started; sleep 60; :', SHIM_NAME, folder], {
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  await once(shim.stdout, 'data');
  return {
    [Symbol.asyncDispose]: async () => {
      process.kill(-(shim.pid ?? 0), 'SIGKILL');
      await once(shim, 'exit');
    },
  };
}

describe.runIf(process.platform === 'linux')('the sender of a request', () => {
  test('is not refused because of the launch of another user, whose data directory cannot be entered', async () => {
    const root = temporaryFolder();
    symlinkSync('itself', join(root, 'itself'));
    await using _ = await startShim(join(root, 'itself', 'attempt'));
    const ends = { address: '127.0.0.1', port: 1, remoteAddress: '127.0.0.1', remotePort: 2, isLocal: true };
    expect(holderMembership(ends, temporaryFolder())).toEqual({ kind: 'outside' });
  });

  test('is a launched program where the network proxy passes it on', async () => {
    const home = temporaryFolder();
    await using _ = await startShim(join(home, 'attempts', 'any'));
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const proxy = new NetworkProxy(home, process.env);
    try {
      const allow = [{ host: '127.0.0.1', ports: [port], isPrivate: true }];
      const folder = await proxy.open({ id: 'own', allow, routes: [] });
      const client = createConnection(join(folder, 'proxy.sock'));
      client.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
      const [socket] = (await once(server, 'connection')) as [Socket];
      const { localAddress = '', localPort = 0, remoteAddress = '', remotePort = 0 } = socket;
      const ends = { address: localAddress, port: localPort, remoteAddress, remotePort, isLocal: true };
      expect(holderMembership(ends, home)).toEqual({ kind: 'inside', folder: join(home, 'network') });
      client.destroy();
      socket.destroy();
    } finally {
      await proxy.close('own');
      await proxy.leave();
      server.close();
    }
  });
});
