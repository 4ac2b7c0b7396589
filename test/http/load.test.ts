import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { realWorld } from '../../src/world.ts';
import { serveDashboard } from '../browser/support/served.ts';
import { makeScratch, type Scratch } from '../support/scratch.ts';
import { TESTS_ALL } from '../support/variants.ts';

/** The real server, under the load that an attacker on this machine can cause; figures are printed. */
it.runIf(TESTS_ALL)('serves an operator during 2,000 silent connections', { timeout: 300_000 }, async () => {
  await using served = await serve();
  const silent: Socket[] = [];
  const times: number[] = [];
  for (let count = 0; count < 40; count += 1) {
    silent.push(...(await Promise.all(Array.from({ length: 50 }, () => openSilent(served.port)))));
    const from = realWorld.now();
    expect((await served.ask('/api/runs')).status).toBe(200);
    times.push(realWorld.now() - from);
  }
  const open = silent.filter(({ closed }) => !closed).length;
  report(`2,000 silent connections: ${open} open at the end, slowest answer ${Math.max(...times)} ms`);
  for (const socket of silent) socket.destroy();
});

it.runIf(TESTS_ALL)('refuses 10,000 guesses, and serves an operator meanwhile', { timeout: 300_000 }, async () => {
  await using served = await serve();
  const statuses = new Map<number, number>();
  const times: number[] = [];
  for (let count = 0; count < 100; count += 1) {
    const guesses = Array.from({ length: 100 }, (_, index) =>
      served.ask('/api/runs', { headers: bearer(`${count}-${index}`.padStart(64, '0')) }),
    );
    for (const { status } of await Promise.all(guesses)) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const from = realWorld.now();
    expect((await served.ask('/api/runs')).status).toBe(200);
    times.push(realWorld.now() - from);
  }
  expect([...statuses.keys()].sort()).toEqual([401, 429]);
  report(`10,000 guesses: ${JSON.stringify(Object.fromEntries(statuses))}, slowest answer ${Math.max(...times)} ms`);
});

it.runIf(TESTS_ALL)('returns the memory of 100 bodies of 15 MB', { timeout: 300_000 }, async () => {
  await using served = await serve();
  for (let count = 0; count < 50; count += 1) await served.ask('/api/runs');
  const before = residentMb(served.pid);
  const json = { 'content-type': 'application/json' };
  const body = JSON.stringify({ recipe: 'x'.repeat(15 * 1024 * 1024) });
  const statuses = new Set<number>();
  let most = before;
  for (let count = 0; count < 50; count += 1) {
    // A connection that is closed while the client still sends: its answer may be lost.
    await served.ask('/login', { method: 'POST', headers: json, body }).catch(() => undefined);
    const headers = { ...json, ...bearer(served.token) };
    statuses.add((await served.ask('/api/runs', { method: 'POST', headers, body })).status);
    most = Math.max(most, residentMb(served.pid));
  }
  expect([...statuses]).toEqual([422]);
  await expect.poll(() => residentMb(served.pid) - before, { interval: 2_000 }).toBeLessThan(50);
  report(`100 bodies of 15 MB: ${before} MB before, at most ${most} MB, ${residentMb(served.pid)} MB afterwards`);
});

/** The memory that a process has in use now. */
function residentMb(pid: number): number {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}

type Served = AsyncDisposable & {
  scratch: Scratch;
  pid: number;
  port: number;
  token: string;
  ask(path: string, init?: RequestInit): Promise<Response>;
};

async function serve(): Promise<Served> {
  const scratch = await makeScratch({ files: { 'readme.md': '# A project\n' } });
  const { url, pid } = await serveDashboard(scratch, 0);
  const token = (await scratch.mh(['token'])).stdout.trim();
  return {
    scratch,
    pid,
    token,
    port: Number(new URL(url).port),
    ask: async (path, init = { headers: bearer(token) }) => {
      const answer = await fetch(`${url}${path}`, init);
      await answer.arrayBuffer();
      return answer;
    },
    [Symbol.asyncDispose]: async () => {
      await scratch.mh(['stop']);
      await scratch[Symbol.asyncDispose]();
    },
  };
}

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

async function openSilent(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.resume();
  return socket;
}

function report(line: string): void {
  process.stdout.write(`${line}\n`);
}
