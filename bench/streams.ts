import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import type { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { Benchmark } from './benchmark.ts';
import { openLiveStage } from './live-stage.ts';
import { makeScratch } from './scratch.ts';
import { quantile } from './timing.ts';

type Size = { agents: number; clients: number; seconds: number };
/** How long lines took, in ms: from when the server had them, and from when they were said. */
type Delays = { heard: number[]; said: number[]; events: number };

/** As many as are promised. */
export const WHOLE: Size = { agents: 150, clients: 10, seconds: 20 };
export const QUICK: Size = { agents: 10, clients: 3, seconds: 3 };
const PER_SECOND = 20;
const TICK_MS = 10;
const SETTLE_MS = 3_000;

/** How soon what agents say is at those who watch. */
export const streams: Benchmark = {
  name: 'streams',
  summary: `${WHOLE.agents} live agents that say ${PER_SECOND} lines a second each, ${WHOLE.clients} clients and one that is stuck: p99 from the server to a client, against a bare SSE server`,
  target: { is: 'at most', ratio: 3 },
  async measure(isQuick) {
    const size = isQuick ? QUICK : WHOLE;
    const bare = await byBareServer(size);
    await using scratch = await makeScratch();
    await using stage = await openLiveStage(scratch.path, size.agents);
    const path = `/api/runs/${stage.run}/logs?follow=true`;
    const stuck = stickTo(stage.url, path, stage.token);
    const ours = await watchWhileTalking(size, stage.pipes, { url: `${stage.url}${path}`, token: stage.token });
    stuck.destroy();
    const wanted = size.agents * PER_SECOND * size.seconds * size.clients;
    if (ours.events < wanted) throw new Error(`Only ${ours.events} of ${wanted} lines arrived`);
    const [value, ceiling] = [p99(ours.heard), p99(bare.heard)];
    const memory = await stage.memoryMb();
    const note = `ms; p50 ${p50(ours.heard).toFixed(1)} against ${p50(bare.heard).toFixed(1)}; p99 from the agent's write ${p99(ours.said).toFixed(0)} against ${p99(bare.said).toFixed(0)}; ${ours.events} of ${wanted} lines arrived; server at most ${memory.toFixed(0)} MB`;
    return { value, unit: 'ms', ceiling, ratio: value / ceiling, note };
  },
};

async function byBareServer(size: Size): Promise<Delays> {
  const server = spawn(process.execPath, [...process.execArgv, process.argv[1] ?? '', '--bare-events'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [port] = await once(createInterface({ input: server.stdout }), 'line');
  const pipes = Array<Writable>(size.agents).fill(server.stdin);
  const delays = await watchWhileTalking(size, pipes, { url: `http://127.0.0.1:${port}/`, token: '' });
  server.stdin.end();
  await once(server, 'close');
  return delays;
}

/** Every agent says its lines at an even pace, while all clients listen. */
export async function watchWhileTalking(
  size: Size,
  pipes: readonly Writable[],
  at: { url: string; token: string },
): Promise<Delays> {
  const delays: Delays = { heard: [], said: [], events: 0 };
  const clients = await Promise.all(Array.from({ length: size.clients }, () => listen(at, delays)));
  const start = performance.now();
  const total = size.agents * PER_SECOND * size.seconds;
  for (let said = 0; said < total; await pause(TICK_MS)) {
    const due = Math.min(total, ((performance.now() - start) / 1000) * PER_SECOND * size.agents);
    for (; said < due; said += 1) pipes[said % pipes.length]?.write(`said@${Date.now()} ${'some words '.repeat(10)}\n`);
  }
  const wanted = total * size.clients;
  for (let waited = 0; delays.events < wanted && waited < SETTLE_MS * 10; waited += TICK_MS) await pause(TICK_MS);
  for (const client of clients) client.destroy();
  return delays;
}

async function listen({ url, token }: { url: string; token: string }, delays: Delays): Promise<IncomingMessage> {
  const request = get(url, { headers: { authorization: `Bearer ${token}` }, agent: false });
  const [response] = await once(request, 'response');
  let rest = '';
  response.setEncoding('utf8').on('data', (piece: string) => {
    const now = Date.now();
    const lines = `${rest}${piece}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const said = /said@(\d+)/.exec(line)?.[1];
      if (said === undefined) continue;
      delays.events += 1;
      delays.said.push(now - Number(said));
      delays.heard.push(now - Date.parse(/"at":"([^"]+)"/.exec(line)?.[1] ?? ''));
    }
  });
  // The listener itself ends it.
  response.on('error', () => {});
  return response;
}

/** Asks, and never reads what it gets. */
function stickTo(url: string, path: string, token: string) {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname).pause();
  // It is cut off, as it should be.
  socket.on('error', () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  return socket;
}

function p50(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Clocks count whole milliseconds: nothing is faster than one. */
function p99(values: readonly number[]): number {
  return Math.max(1, quantile(values, 0.99));
}
