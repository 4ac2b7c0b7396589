import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough, type Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { Benchmark } from './benchmark.ts';
import { openLiveStage } from './live-stage.ts';
import { makeScratch } from './scratch.ts';
import { quantile } from './timing.ts';

type Size = { agents: number; clients: number; seconds: number; rounds: number };
/** How long lines took, in ms: from when the server had them, and from when they were said. */
type Delays = { heard: number[]; said: number[] };
/** Who says the lines, and where they are heard. */
type Stage = { pipes: readonly Writable[]; url: string; token: string };
/** Who listens; `talk` gives how long the lines of a round took. */
type Hall = { talk(): Promise<Delays>; close(): void };
/** One round of both: the delays of each. */
type Round = { bare: Delays; ours: Delays };

/** As many as are promised. */
export const WHOLE: Size = { agents: 150, clients: 10, seconds: 4, rounds: 7 };
export const QUICK: Size = { agents: 10, clients: 3, seconds: 3, rounds: 1 };
const PER_SECOND = 20;
const TICK_MS = 10;
const SETTLE_MS = 30_000;

/** How soon what agents say is at those who watch. */
export const streams: Benchmark = {
  name: 'streams',
  summary: `${WHOLE.agents} live agents that say ${PER_SECOND} lines a second each, ${WHOLE.clients} clients and one that is stuck: p99 from the server to a client, against a bare SSE server beside as many agents; the middle one of ${WHOLE.rounds} rounds`,
  target: { is: 'at most', ratio: 3 },
  async measure(isQuick) {
    const size = isQuick ? QUICK : WHOLE;
    await using scratch = await makeScratch();
    await using stage = await openLiveStage(scratch.path, size.agents);
    await using bareStage = await openBareStage(scratch.path, size.agents);
    const path = `/api/runs/${stage.run}/logs?follow=true`;
    const stuck = stickTo(stage.url, path, stage.token);
    const [bare, ours] = [
      await openHall(size, bareStage),
      await openHall(size, { ...stage, url: `${stage.url}${path}` }),
    ];
    // By turns, and the middle round counts: a machine that is slow for a while is slow for one of both only. The first words only make both warm.
    const rounds: Round[] = [];
    for (let round = 0; round <= size.rounds; round += 1) {
      rounds.push({ bare: await bare.talk(), ours: await ours.talk() });
    }
    rounds.shift();
    for (const hall of [bare, ours]) hall.close();
    stuck.destroy();
    const middle = (of: (round: Round) => number) => quantile(rounds.map(of), 0.5);
    const [value, ceiling] = [middle((round) => p99(round.ours.heard)), middle((round) => p99(round.bare.heard))];
    const memory = await stage.memoryMb();
    const half = `p50 ${middle(({ ours }) => p50(ours.heard)).toFixed(1)} against ${middle(({ bare }) => p50(bare.heard)).toFixed(1)}`;
    const late = `p99 from the agent's write ${middle(({ ours }) => p99(ours.said))} against ${middle(({ bare }) => p99(bare.said))}`;
    const each = rounds.map((round) => `${p99(round.ours.heard)}/${p99(round.bare.heard)}`).join(' ');
    const arrived = rounds.reduce((sum, { ours }) => sum + ours.heard.length, 0);
    const note = `ms; ${half}; ${late}; rounds ${each}; all ${arrived} lines arrived; server at most ${memory.toFixed(0)} MB`;
    return { value, unit: 'ms', ceiling, ratio: value / ceiling, note };
  },
};
/** The same agents are at work, that both servers have as much of the machine; what they say goes to the bare one directly. */
async function openBareStage(folder: string, count: number): Promise<Stage & AsyncDisposable> {
  const server = spawn(process.execPath, [...process.execArgv, process.argv[1] ?? '', '--bare-events'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [port] = await once(createInterface({ input: server.stdout }), 'line');
  const agents = Array.from({ length: count }, (_, index) =>
    spawn('sh', ['-c', `exec cat > "$0"`, join(folder, `said-${index}`)], { stdio: ['pipe', 'inherit', 'inherit'] }),
  );
  const pipes = agents.map(({ stdin }) =>
    new PassThrough().on('data', (said) => {
      server.stdin.write(said);
      stdin.write(said);
    }),
  );
  const close = async () => {
    const ended = [server, ...agents].map((child) => once(child, 'close'));
    for (const { stdin } of [server, ...agents]) stdin.end();
    await Promise.all(ended);
  };
  return { pipes, url: `http://127.0.0.1:${port}/`, token: '', [Symbol.asyncDispose]: close };
}

/** All clients listen, while every agent says its lines at an even pace, as often as it is told to. */
export async function openHall(size: Size, stage: Stage): Promise<Hall> {
  let delays: Delays = { heard: [], said: [] };
  const clients = await Promise.all(Array.from({ length: size.clients }, () => listen(stage, () => delays)));
  return {
    talk: async () => {
      delays = { heard: [], said: [] };
      await talk(size, stage.pipes);
      const wanted = linesOf(size) * size.clients;
      for (let waited = 0; delays.heard.length < wanted && waited < SETTLE_MS; waited += TICK_MS) await pause(TICK_MS);
      if (delays.heard.length !== wanted) throw new Error(`${delays.heard.length} of ${wanted} lines arrived`);
      return delays;
    },
    close: () => {
      for (const client of clients) client.destroy();
    },
  };
}

async function talk(size: Size, pipes: readonly Writable[]): Promise<void> {
  const start = performance.now();
  const total = linesOf(size);
  for (let said = 0; said < total; await pause(TICK_MS)) {
    const due = Math.min(total, ((performance.now() - start) / 1000) * PER_SECOND * size.agents);
    for (; said < due; said += 1) pipes[said % pipes.length]?.write(`said@${Date.now()} ${'some words '.repeat(10)}\n`);
  }
}

function linesOf({ agents, seconds }: Size): number {
  return agents * PER_SECOND * seconds;
}

async function listen({ url, token }: Stage, delaysNow: () => Delays): Promise<IncomingMessage> {
  const request = get(url, { headers: { authorization: `Bearer ${token}` }, agent: false });
  const [response] = await once(request, 'response');
  let rest = '';
  response.setEncoding('utf8').on('data', (piece: string) => {
    const now = Date.now();
    const delays = delaysNow();
    const lines = `${rest}${piece}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const said = /said@(\d+)/.exec(line)?.[1];
      if (said === undefined) continue;
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
