import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough, type Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { Benchmark } from './benchmark.ts';
import { openLiveServer } from './live-server.ts';
import { makeScratch } from './scratch.ts';
import { quantile } from './timing.ts';

type Size = { agents: number; clients: number; seconds: number; rounds: number };
/** Latency of lines in ms: from when the server had them, and from when the agent wrote them. */
type Delays = { fromServer: number[]; fromAgent: number[] };
/** The pipes that lines are written to, and the address at which they are received. */
type LineSource = { pipes: readonly Writable[]; url: string; token: string };
/** The connected clients; `sendLines` returns the latencies of one round. */
type Audience = { sendLines(): Promise<Delays>; close(): void };
/** One round of both: the delays of each. */
type Round = { bare: Delays; ours: Delays };

/** The documented limits. */
export const WHOLE: Size = { agents: 150, clients: 10, seconds: 4, rounds: 7 };
export const QUICK: Size = { agents: 10, clients: 3, seconds: 3, rounds: 1 };
const PER_SECOND = 20;
const TICK_MS = 10;
const SETTLE_MS = 30_000;

/** How soon agents' output reaches clients. */
export const streams: Benchmark = {
  name: 'streams',
  summary: `${WHOLE.agents} live agents that write ${PER_SECOND} lines a second each, ${WHOLE.clients} clients and one that is stuck: p99 from the server to a client, against a bare SSE server beside as many agents; the middle one of ${WHOLE.rounds} rounds`,
  target: { is: 'at most', ratio: 3 },
  async measure(isQuick) {
    const size = isQuick ? QUICK : WHOLE;
    await using scratch = await makeScratch();
    await using source = await openLiveServer(scratch.path, size.agents);
    await using bareSource = await openBareSource(scratch.path, size.agents);
    const path = `/api/runs/${source.run}/logs?follow=true`;
    const stuck = openStuckClient(source.url, path, source.token);
    const [bare, ours] = [
      await openAudience(size, bareSource),
      await openAudience(size, { ...source, url: `${source.url}${path}` }),
    ];
    // Alternating, with the median round counting, because the machine may be slow for a while. The first round is a warm-up.
    const rounds: Round[] = [];
    for (let round = 0; round <= size.rounds; round += 1) {
      rounds.push({ bare: await bare.sendLines(), ours: await ours.sendLines() });
    }
    rounds.shift();
    for (const audience of [bare, ours]) audience.close();
    stuck.destroy();
    const medianOf = (of: (round: Round) => number) => quantile(rounds.map(of), 0.5);
    const [value, ceiling] = [
      medianOf((round) => p99(round.ours.fromServer)),
      medianOf((round) => p99(round.bare.fromServer)),
    ];
    const memory = await source.memoryMb();
    const half = `p50 ${medianOf(({ ours }) => p50(ours.fromServer)).toFixed(1)} against ${medianOf(({ bare }) => p50(bare.fromServer)).toFixed(1)}`;
    const late = `p99 from the agent's write ${medianOf(({ ours }) => p99(ours.fromAgent))} against ${medianOf(({ bare }) => p99(bare.fromAgent))}`;
    const each = rounds.map((round) => `${p99(round.ours.fromServer)}/${p99(round.bare.fromServer)}`).join(' ');
    const arrived = rounds.reduce((sum, { ours }) => sum + ours.fromServer.length, 0);
    const note = `ms; ${half}; ${late}; rounds ${each}; all ${arrived} lines arrived; server at most ${memory.toFixed(0)} MB`;
    return { value, unit: 'ms', ceiling, ratio: value / ceiling, note };
  },
};
/** Runs as many agents, so that both servers have the same share of the machine; their output goes directly to the minimal server. */
async function openBareSource(folder: string, count: number): Promise<LineSource & AsyncDisposable> {
  const server = spawn(process.execPath, [...process.execArgv, process.argv[1] ?? '', '--bare-events'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [port] = await once(createInterface({ input: server.stdout }), 'line');
  const agents = Array.from({ length: count }, (_, index) =>
    spawn('sh', ['-c', `exec cat > "$0"`, join(folder, `said-${index}`)], { stdio: ['pipe', 'inherit', 'inherit'] }),
  );
  const pipes = agents.map(({ stdin }) =>
    new PassThrough().on('data', (fromAgent) => {
      server.stdin.write(fromAgent);
      stdin.write(fromAgent);
    }),
  );
  const close = async () => {
    const ended = [server, ...agents].map((child) => once(child, 'close'));
    for (const { stdin } of [server, ...agents]) stdin.end();
    await Promise.all(ended);
  };
  return { pipes, url: `http://127.0.0.1:${port}/`, token: '', [Symbol.asyncDispose]: close };
}

/** Connects all clients; each round every agent writes its lines at an even rate. */
export async function openAudience(size: Size, source: LineSource): Promise<Audience> {
  let delays: Delays = { fromServer: [], fromAgent: [] };
  const clients = await Promise.all(Array.from({ length: size.clients }, () => subscribe(source, () => delays)));
  return {
    sendLines: async () => {
      delays = { fromServer: [], fromAgent: [] };
      await sendLines(size, source.pipes);
      const expected = linesOf(size) * size.clients;
      for (let waited = 0; delays.fromServer.length < expected && waited < SETTLE_MS; waited += TICK_MS)
        await pause(TICK_MS);
      if (delays.fromServer.length !== expected)
        throw new Error(`${delays.fromServer.length} of ${expected} lines arrived`);
      return delays;
    },
    close: () => {
      for (const client of clients) client.destroy();
    },
  };
}

async function sendLines(size: Size, pipes: readonly Writable[]): Promise<void> {
  const start = performance.now();
  const total = linesOf(size);
  for (let fromAgent = 0; fromAgent < total; await pause(TICK_MS)) {
    const due = Math.min(total, ((performance.now() - start) / 1000) * PER_SECOND * size.agents);
    for (; fromAgent < due; fromAgent += 1)
      pipes[fromAgent % pipes.length]?.write(`said@${Date.now()} ${'some words '.repeat(10)}\n`);
  }
}

function linesOf({ agents, seconds }: Size): number {
  return agents * PER_SECOND * seconds;
}

async function subscribe({ url, token }: LineSource, delaysNow: () => Delays): Promise<IncomingMessage> {
  const request = get(url, { headers: { authorization: `Bearer ${token}` }, agent: false });
  const [response] = await once(request, 'response');
  let rest = '';
  response.setEncoding('utf8').on('data', (piece: string) => {
    const now = Date.now();
    const delays = delaysNow();
    const lines = `${rest}${piece}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const fromAgent = /said@(\d+)/.exec(line)?.[1];
      if (fromAgent === undefined) continue;
      delays.fromAgent.push(now - Number(fromAgent));
      delays.fromServer.push(now - Date.parse(/"at":"([^"]+)"/.exec(line)?.[1] ?? ''));
    }
  });
  // The client closes the connection itself.
  response.on('error', () => {});
  return response;
}

/** Sends a request and never reads the response. */
function openStuckClient(url: string, path: string, token: string) {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname).pause();
  // The server closes the connection, as it should.
  socket.on('error', () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  return socket;
}

function p50(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Timestamps are whole milliseconds, so one is the minimum. */
function p99(values: readonly number[]): number {
  return Math.max(1, quantile(values, 0.99));
}
