import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { Benchmark } from './benchmark.ts';
import { openLiveServer } from './live-server.ts';
import { makeScratch } from './scratch.ts';
import { alternate, listed, median, quantile } from './timing.ts';

type Size = { agents: number; seconds: number; rounds: number };
/** One connection of an agent: the line of its n-th call. */
type Agent = { socket: Socket; lines: AsyncIterator<string>; call(number: number): string };

/** The documented limits. */
const WHOLE: Size = { agents: 50, seconds: 4, rounds: 7 };
const QUICK: Size = { agents: 10, seconds: 2, rounds: 1 };
const PER_SECOND = 5;
const TOOLS_FILE = 'tools.json';
const ToolsFile = z.object({ socket: z.string(), token: z.string() });

/** How long an agent waits for a tool. */
export const tools: Benchmark = {
  name: 'tools',
  summary: `${WHOLE.agents} live agents that write ${PER_SECOND} notes a second each: p99 of write_note, against a Unix socket that commits one row with synchronous=FULL for each line; the middle one of ${WHOLE.rounds} rounds`,
  target: { is: 'at most', ratio: 4 },
  async measure(isQuick) {
    const size = isQuick ? QUICK : WHOLE;
    await using scratch = await makeScratch();
    await using source = await openLiveServer(scratch.path, size.agents);
    await using echo = await openEcho(join(scratch.path, 'echo.sock'));
    const ours = await agentsOf(scratch.path);
    const bare = await Promise.all(ours.map(() => connected(echo.socket, (number) => JSON.stringify({ number }))));
    // The first calls load what calls need.
    for (const agents of [bare, ours]) await callAll(agents, { ...size, seconds: 1 });
    const rounds = await alternate(
      size.rounds,
      async () => quantile(await callAll(ours, size), 0.99),
      async () => quantile(await callAll(bare, size), 0.99),
    );
    for (const { socket } of [...ours, ...bare]) socket.destroy();
    const memory = await source.memoryMb();
    const note = `ms; rounds ${listed(rounds.ours, 1)} against ${listed(rounds.ceiling, 1)}; server at most ${memory.toFixed(0)} MB`;
    return { value: median(rounds.ours), unit: 'ms', ceiling: median(rounds.ceiling), ratio: rounds.ratio, note };
  },
};

/** Every agent calls at its own times, spread over each interval; the times of all calls in milliseconds. */
async function callAll(agents: readonly Agent[], { seconds }: Size): Promise<number[]> {
  const intervalMs = 1_000 / PER_SECOND;
  const start = performance.now();
  const times = agents.map(async ({ socket, lines, call }, index) => {
    const own: number[] = [];
    for (let number = 0; number < seconds * PER_SECOND; number += 1) {
      const due = start + intervalMs * (number + index / agents.length);
      await pause(Math.max(0, due - performance.now()));
      const sent = performance.now();
      socket.write(`${call(Math.round(sent * 1_000))}\n`);
      const { value, done } = await lines.next();
      if (done === true || value.includes('"error"')) throw new Error(`A call failed: ${value}`);
      own.push(performance.now() - sent);
    }
    return own;
  });
  return (await Promise.all(times)).flat();
}

/** A connection to the tools of each attempt, as their agents have one. */
async function agentsOf(folder: string): Promise<Agent[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter(({ name }) => name === TOOLS_FILE).map(({ parentPath }) => join(parentPath, TOOLS_FILE));
  return Promise.all(
    files.map(async (file, index) => {
      const { socket, token } = ToolsFile.parse(JSON.parse(await readFile(file, 'utf8')));
      const agent = await connected(socket, (number) => {
        const input = {
          token,
          call: `${index}-${number}`,
          arguments: { key: `agent/${index}`, text: `Note ${number}` },
        };
        return JSON.stringify({ type: 'ask', id: number, operation: 'write_note', input });
      });
      agent.socket.write('{"manyhands":1}\n');
      return agent;
    }),
  );
}

/** Either server sends one line first. */
async function connected(path: string, call: Agent['call']): Promise<Agent> {
  const socket = connect(path);
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  await lines.next();
  return { socket, lines, call };
}

async function openEcho(socket: string): Promise<AsyncDisposable & { socket: string }> {
  const args = [...process.execArgv, process.argv[1] ?? '', '--tool-echo', socket];
  const server = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(server.stdout, 'data');
  const exited = once(server, 'exit');
  return {
    socket,
    [Symbol.asyncDispose]: async () => {
      server.stdin.end();
      await exited;
    },
  };
}
