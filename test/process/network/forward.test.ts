import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { forwardPort, forwardStart } from '../../../src/process/network/forward.ts';
import { bubblewrapCommand } from '../../../src/process/sandbox/bubblewrap.ts';
import { SANDBOX } from '../../support/sandbox.ts';

const HELPERS = [
  ...(existsSync('/usr/bin/perl') ? [{ name: 'perl', isPerl: true }] : []),
  { name: 'Node', isPerl: false },
];

async function freePort(): Promise<number> {
  const server = createTcp();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mh-forward-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function start(command: readonly string[]): void {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { stdio: 'inherit', detached: true });
  onTestFinished(() => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL');
    } catch {
      // It has ended.
    }
  });
}

describe.each(HELPERS)('a forwarded port, with a helper in $name', ({ isPerl }) => {
  test('is served once a program listens on it, also for many clients and large bodies at once', async () => {
    // Outside of a sandbox the helper has the same network, so that the two ports must differ.
    const [inner, outer] = [await freePort(), await freePort()];
    await using forward = await forwardPort(join(temporaryFolder(), 'port'), outer);
    expect(await forward.isServed()).toBe(false);
    start(forwardStart(inner, { folder: forward.folder, isPerl }));
    const body = 'x'.repeat(1_000_000);
    const server = createServer((message, response) => void message.pipe(response));
    onTestFinished(() => void server.close());
    await new Promise<void>((done) => server.listen(inner, '127.0.0.1', done));
    await expect.poll(() => forward.isServed()).toBe(true);
    await forward.listen();
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const answer = await fetch(`http://127.0.0.1:${outer}/`, { method: 'POST', body });
        return (await answer.text()).length;
      }),
    );
    expect(answers).toEqual(Array(20).fill(body.length));
  });

  test('is not served where nothing listens', async () => {
    const outer = await freePort();
    await using forward = await forwardPort(join(temporaryFolder(), 'port'), outer);
    start(forwardStart(await freePort(), { folder: forward.folder, isPerl }));
    for (let count = 0; count < 6; count += 1) expect(await forward.isServed()).toBe(false);
    await forward.listen();
    await expect(fetch(`http://127.0.0.1:${outer}/`)).rejects.toThrow();
  });
});

describe.skipIf(SANDBOX.missing)(SANDBOX.title, () => {
  test('a program is reached from outside on its own port, and reaches nothing outside', async () => {
    const port = await freePort();
    const secret = createServer((_, response) => response.end('secret'));
    onTestFinished(() => void secret.close());
    await new Promise<void>((done) => secret.listen(0, '127.0.0.1', done));
    const address = `http://127.0.0.1:${(secret.address() as AddressInfo).port}/`;
    const source = `require('http').createServer(async (_, response) => response.end(await fetch('${address}').then((a) => a.text(), () => 'refused'))).listen(${port}, '127.0.0.1')`;
    await using forward = await forwardPort(join(temporaryFolder(), 'port'), port);
    const program = { command: [process.execPath, '-e', source], cwd: '/', env: { PATH: process.env.PATH ?? '' } };
    start(
      bubblewrapCommand(SANDBOX.program, program, { read: [], write: [], hidden: [], network: { serves: forward } }),
    );
    await expect.poll(() => forward.isServed()).toBe(true);
    await forward.listen();
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('refused');
  });
});
