import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { realWorld } from '../../src/world.ts';
import { makeScratch, type Scratch, writeFiles } from '../support/scratch.ts';
import { until } from '../support/until.ts';
import { variants } from '../support/variants.ts';

const Address = z.object({ url: z.string(), pid: z.number(), kind: z.string() });
const ServeAnswer = z.object({ url: z.string(), link: z.string(), pid: z.number() });
const FILES = { 'readme.md': '# A project\n' };
/** Makes something when the file is there. */
const WAITING = '#!/bin/sh\nwhile [ ! -e "$HOME/go" ]; do sleep 0.05; done\necho made > made.txt\n';

describe('serve', () => {
  it('is found by a second one, answers, tells no log a secret, and ends when it is asked to', async () => {
    await using scratch = await makeScratch({ files: FILES });
    const first = scratch.start(['serve', '--port', '0']);
    const { url, pid } = await address(scratch);
    const second = await scratch.mh(['serve', '--json']);
    const result = ServeAnswer.parse(second.json);
    expect([second.code, result.url, result.pid, second.stderr]).toEqual([0, url, pid, '']);
    const elsewhere = await scratch.mh(['serve', '--port', '1']);
    expect([elsewhere.code, elsewhere.stderr]).toEqual([
      0,
      expect.stringContaining(`A server is already running at ${url}`),
    ]);
    const entered = await fetch(`${url}/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: /code=(\w+)/.exec(result.link)?.[1] }),
    });
    expect(await entered.json()).toEqual({ role: 'operator' });
    const token = (await scratch.mh(['token'])).stdout.trim();
    const answer = await fetch(`${url}/api/runs`, { headers: { authorization: `Bearer ${token}` } });
    expect(await answer.json()).toEqual([]);
    const nowhere = await fetch(`${url}/api/salvage`, { headers: { authorization: `Bearer ${token}` } });
    expect(await nowhere.json()).toMatchObject({
      status: 422,
      code: 'INPUT_INVALID',
      detail: expect.stringContaining('dir'),
    });
    expect(
      scratch
        .alive()
        .map(({ command }) => command)
        .join(' '),
    ).not.toMatch(new RegExp(`code=|${token}`));
    expect((await scratch.mh(['stop'])).code).toBe(0);
    const { code, stdout } = await first.done;
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^Dashboard {2}http:\/\/127\.0\.0\.1:\d+\S*code=\w+ {2}\(valid once, for one browser\)\nData {7}.*\nStop {7}.*\n$/,
    );
    expect(existsSync(addressFile(scratch))).toBe(false);
    expect(await scratch.leftovers()).toEqual([]);
  });

  it('works on in the background, where its log holds no secret', async () => {
    await using scratch = await makeScratch({ files: FILES });
    const detached = await scratch.mh(['serve', '--detach', '--json', '--port', '0']);
    const { url, pid } = ServeAnswer.parse(detached.json);
    expect((await fetch(`${url}/login`)).status).toBe(200);
    expect(scratch.alive().map((each) => each.pid)).toContain(pid);
    const logs = spawnSync('grep', ['-rE', 'code=|[0-9a-f]{64}', join(scratch.home, 'logs')], { encoding: 'utf8' });
    expect(logs.stdout).toBe('');
    const again = await scratch.mh(['serve', '--detach', '--json']);
    expect(ServeAnswer.parse(again.json).pid).toBe(pid);
    expect((await scratch.mh(['stop'])).code).toBe(0);
    expect(await scratch.leftovers()).toEqual([]);
    expect((await scratch.mh(['stop'])).stderr).toContain('No engine is running');
  });

  it('selects a free port when the usual one is in use, and refuses one that was requested by number', async () => {
    await using scratch = await makeScratch({ files: FILES });
    await using taken = await takePort();
    writeFiles(join(scratch.root, '.config', 'manyhands'), { 'config.yaml': `server:\n  port: ${taken.port}\n` });
    const refused = await scratch.mh(['serve', '--port', String(taken.port)]);
    expect([refused.code, refused.stderr]).toEqual([
      3,
      expect.stringContaining(`Port ${taken.port} of 127.0.0.1 is in use`),
    ]);
    const named = await scratch.mh(['serve'], { env: { MANYHANDS_PORT: String(taken.port) } });
    expect(named.code).toBe(3);
    const serving = scratch.start(['serve']);
    expect((await address(scratch)).url).not.toContain(`:${taken.port}`);
    serving.kill('SIGTERM');
    const { code, stderr } = await serving.done;
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(`Port ${taken.port} is in use; a free one was selected.`),
    ]);
  });

  it.each(
    variants(
      [['--host', '0.0.0.0']],
      [
        ['--host', '::'],
        ['--host', 'example.org'],
      ],
    ),
  )('accepts no other machine unless the settings allow it: %s %s', async (...args) => {
    await using scratch = await makeScratch({
      files: { ...FILES, '.manyhands/config.yaml': 'server:\n  allowRemote: true\n' },
    });
    const { code, stderr } = await scratch.mh(['serve', ...args, '--port', '0']);
    expect([code, stderr]).toEqual([3, expect.stringContaining('can be reached from other machines')]);
  });

  it('is nothing that an agent can open or get a token for', async () => {
    await using scratch = await makeScratch({ files: FILES });
    const env = { MANYHANDS_TOKEN: 'x' };
    for (const args of [['serve', '--port', '0'], ['serve', '--no-resume', '--port', '0'], ['token']]) {
      const { code, stderr } = await scratch.mh(args, { env });
      expect([code, stderr], args.join(' ')).toEqual([3, expect.stringContaining('from inside an attempt')]);
    }
  });

  it('stands beside a run that shows the dashboard, and takes its place when that ends', async () => {
    await using scratch = await makeScratch({ files: { ...FILES, 'agent.sh': WAITING } });
    const settings = { 'config.yaml': 'server:\n  withRuns: always\n  port: 0\n' };
    writeFiles(join(scratch.root, '.config', 'manyhands'), settings);
    const job = scratch.start(['job', 'Wait', '--agent', 'command:./agent.sh']);
    const ofRun = await address(scratch);
    expect(ofRun.kind).toBe('run');
    const serving = scratch.start(['serve']);
    await serving.received('this process takes over when that one ends');
    const pages = await fetch(`${ofRun.url}/login`);
    expect(pages.status).toBe(200);
    writeFileSync(join(scratch.root, 'go'), '');
    const ended = await job.done;
    expect(ended.stderr).toMatch(/^Dashboard {2}http:\/\/127\.0\.0\.1:\d+\/runs\/\w{8}$/m);
    const own = await address(scratch, serving.pid);
    expect(own.kind).toBe('serve');
    expect((await fetch(`${own.url}/login`)).status).toBe(200);
    serving.kill('SIGINT');
    expect((await serving.done).code).toBe(0);
  });

  it('waits for the server of a run that closes more slowly than its engine, and takes its place', async () => {
    await using scratch = await makeScratch({ files: { ...FILES, 'agent.sh': WAITING } });
    const settings = { 'config.yaml': 'server:\n  withRuns: always\n  port: 0\n' };
    writeFiles(join(scratch.root, '.config', 'manyhands'), settings);
    const job = scratch.start(['job', 'Wait', '--agent', 'command:./agent.sh']);
    const ofRun = await address(scratch);
    const serving = scratch.start(['serve']);
    await serving.received('this process takes over when that one ends');
    // Half a request keeps the server of the run open while its engine is already gone.
    await using _unfinished = await beginRequest(ofRun.url);
    writeFileSync(join(scratch.root, 'go'), '');
    const own = await address(scratch, serving.pid);
    expect(own.kind).toBe('serve');
    expect((await fetch(`${own.url}/login`)).status).toBe(200);
    await job.done;
    serving.kill('SIGINT');
    expect((await serving.done).code).toBe(0);
  });

  it('takes up what another one left, with the same agent, and keeps browsers logged in', async () => {
    await using scratch = await makeScratch({ files: { ...FILES, 'agent.sh': WAITING } });
    const first = scratch.start(['serve', '--port', '0']);
    await address(scratch);
    await scratch.mh(['job', 'Wait', '--agent', 'command:./agent.sh', '--detach']);
    await until(() => scratch.alive().some(({ command }) => command.endsWith('agent.sh')));
    const { link, url } = ServeAnswer.parse((await scratch.mh(['serve', '--json'])).json);
    const cookie = await cookieBy(url, link);
    first.kill('SIGKILL');
    await first.done;
    const second = scratch.start(['serve', '--port', '0']);
    const { url: again } = await address(scratch, second.pid);
    const runs = await fetch(`${again}/api/runs`, { headers: { cookie } });
    expect(await runs.json()).toMatchObject([{ title: 'Wait', status: 'running' }]);
    writeFileSync(join(scratch.root, 'go'), '');
    const ended = await scratch.mh(['wait', '--json']);
    expect(ended.json).toMatchObject({ status: 'unverified', tasks: [{ attempts: 1 }] });
    second.kill('SIGTERM');
    expect((await second.done).code).toBe(0);
  });

  it('ends with the reason when the engine cannot go on', async () => {
    await using scratch = await makeScratch({ files: { ...FILES, 'agent.sh': WAITING } });
    const serving = scratch.start(['serve', '--port', '0']);
    await address(scratch);
    await scratch.mh(['job', 'Wait', '--agent', 'command:./agent.sh', '--detach']);
    await until(() => scratch.alive().some(({ command }) => command.endsWith('agent.sh')));
    const database = new DatabaseSync(join(scratch.home, 'manyhands.db'), { timeout: 5_000 });
    database.exec("CREATE TRIGGER refuse BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'refused'); END");
    database.close();
    writeFileSync(join(scratch.root, 'go'), '');
    const { code, stderr } = await serving.done;
    expect(code).not.toBe(0);
    expect(stderr).toContain('refused');
  });

  it.skipIf(spawnSync('strace', ['-V']).status !== 0)('does next to nothing while nothing happens', async () => {
    await using scratch = await makeScratch({ files: FILES });
    const serving = scratch.start(['serve', '--port', '0']);
    const { pid, url } = await address(scratch);
    const token = (await scratch.mh(['token'])).stdout.trim();
    await fetch(`${url}/api/runs`, { headers: { authorization: `Bearer ${token}` } });
    await realWorld.sleep(1_000);
    const log = join(scratch.root, 'strace.log');
    spawnSync('timeout', ['3', 'strace', '-f', '-qq', '-o', log, '-p', String(pid)]);
    const calls = readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line !== '').length;
    expect(statSync(log).isFile()).toBe(true);
    expect(calls / 3).toBeLessThan(50);
    serving.kill('SIGINT');
    await serving.done;
  });
});

async function cookieBy(url: string, link: string): Promise<string> {
  const body = JSON.stringify({ code: /code=(\w+)/.exec(link)?.[1] });
  const entered = await fetch(`${url}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  return entered.headers.get('set-cookie')?.split(';')[0] ?? '';
}

function addressFile(scratch: Scratch): string {
  return join(scratch.home, 'server', 'address.json');
}

/** Where the server says it is, once it does; that of one process, if it is named. */
async function address(scratch: Scratch, pid?: number): Promise<z.infer<typeof Address>> {
  for (;;) {
    const found = existsSync(addressFile(scratch))
      ? Address.parse(JSON.parse(readFileSync(addressFile(scratch), 'utf8')))
      : undefined;
    if (found !== undefined && (pid === undefined || found.pid === pid)) return found;
    await realWorld.sleep(20);
  }
}

/** Sends the first line of a request and no more; the server may end the connection. */
async function beginRequest(url: string): Promise<AsyncDisposable> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.on('error', () => {});
  await new Promise<void>((resolve) => socket.write('GET /login HTTP/1.1\r\n', () => resolve()));
  return { [Symbol.asyncDispose]: async () => void socket.destroy() };
}

async function takePort(): Promise<AsyncDisposable & { port: number }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const found = server.address();
  return {
    port: typeof found === 'object' && found !== null ? found.port : 0,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
