import { execFileSync } from 'node:child_process';
import { openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type FleetProject, makeFleetProject } from '../test/support/fleet.ts';
import { query, startPostgres } from '../test/support/postgres.ts';
import type { Benchmark } from './benchmark.ts';

type Size = { hosts: number; slots: number; seconds: number };

const WHOLE: Size = { hosts: 10, slots: 20, seconds: 30 };
const QUICK: Size = { hosts: 2, slots: 5, seconds: 10 };
/** The most attempts of one project at once is 150, so that these are of two. */
const PROJECTS = 2;
const LINES_PER_SECOND = 5;
const MOST_MB = 350;
const POLL_MS = 200;
const LONGEST_MS = 240_000;

/** A fake agent with almost no cost of its own: it prints what is written to its pipe. */
const AGENT = `#!/bin/sh
pipe="$HOME/pipes/$MANYHANDS_ATTEMPT"
mkfifo "$pipe.new" && mv "$pipe.new" "$pipe"
exec cat "$pipe"
`;

/** What the lines of many agents cost the leader; all of them must arrive, once. */
export const hostLines: Benchmark = {
  name: 'hosts-lines',
  summary: `the peak memory of the leader with ${WHOLE.hosts * WHOLE.slots} agents on ${WHOLE.hosts} hosts that print ${LINES_PER_SECOND} lines a second each, against ${MOST_MB} MB`,
  target: { is: 'at most', ratio: 1 },
  async measure(isQuick) {
    const size = isQuick ? QUICK : WHOLE;
    const agents = size.hosts * size.slots;
    await using postgres = await startPostgres();
    const url = await postgres.createDatabase();
    await using fleet = await makeFleetProject(url, agents / PROJECTS, { files: { 'agent.sh': AGENT } });
    const pid = await startFleet(fleet, size);
    const pipes = await openPipes(join(fleet.project.root, 'pipes'), agents);
    const began = performance.now();
    const sent = await sendLines(pipes, size.seconds);
    const lateMs = await untilStored(url, sent);
    const memory = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
    for (const pipe of pipes) pipe.destroy();
    const note = `${sent} lines in ${((performance.now() - began) / 1_000).toFixed(0)} s, each stored once, the last ${(lateMs / 1_000).toFixed(1)} s after it was written`;
    return { value: memory, unit: 'MB', ceiling: MOST_MB, ratio: memory / MOST_MB, note };
  },
};

/** Starts a server, the hosts and a run in each project; returns the process of the server. */
async function startFleet(fleet: FleetProject, { hosts, slots }: Size): Promise<number> {
  const { project, env, exchange } = fleet;
  const settings = `hosts:\n  git: ${exchange}\nlimits:\n  freeMemoryMb: 0\n`;
  await writeFile(join(project.root, '.config', 'manyhands', 'config.yaml'), settings);
  await mkdir(join(project.root, 'pipes'));
  const server = project.start(['serve', '--port', '0'], { env });
  for (let number = 0; number < hosts; number += 1) await fleet.startHost(`b${number}`, { slots });
  const second = join(project.root, 'second');
  execFileSync('git', ['clone', '--quiet', project.repo, second]);
  writeFileSync(join(second, 'items.jsonl'), readFileSync(join(project.repo, 'items.jsonl')));
  const args = ['bulk', 'run', 'items.jsonl', '--agent', 'command:./agent.sh', '--detach'];
  for (const cwd of [project.repo, second]) {
    const started = await project.mh([...args, '--max-parallel', String((hosts * slots) / PROJECTS)], { env, cwd });
    if (started.code !== 0) throw new Error(`The run was not started: ${started.stderr}`);
  }
  return server.pid;
}

async function openPipes(folder: string, count: number): Promise<Socket[]> {
  for (const giveUpAt = performance.now() + LONGEST_MS; performance.now() < giveUpAt; await pause(POLL_MS)) {
    const names = readdirSync(folder).filter((name) => !name.endsWith('.new'));
    if (names.length === count)
      return names.map((name) => {
        const fd = openSync(join(folder, name), 'w');
        return new Socket({ fd, readable: false, writable: true });
      });
  }
  throw new Error(`${readdirSync(folder).length} of ${count} agents have started`);
}

/** Every agent prints its numbered lines at an even rate. */
async function sendLines(pipes: readonly Socket[], seconds: number): Promise<number> {
  const total = pipes.length * LINES_PER_SECOND * seconds;
  const began = performance.now();
  for (let sent = 0; sent < total; await pause(10)) {
    const due = Math.min(total, ((performance.now() - began) / 1_000) * LINES_PER_SECOND * pipes.length);
    for (; sent < due; sent += 1)
      pipes[sent % pipes.length]?.write(`line ${sent} of the bench ${'some words '.repeat(10)}\n`);
  }
  return total;
}

/** Resolves when all lines are stored, with the time that it took; throws if one is stored twice. */
async function untilStored(url: string, total: number): Promise<number> {
  const sql = `SELECT count(*) AS lines, count(DISTINCT convert_from(text, 'UTF8')) AS different
    FROM manyhands.transcript WHERE text LIKE 'line %'`;
  const began = performance.now();
  for (;;) {
    const [row] = await query(url, sql);
    const [lines, different] = [Number(row?.lines), Number(row?.different)];
    if (lines !== different) throw new Error(`${lines - different} lines are stored twice`);
    if (lines === total) return performance.now() - began;
    if (performance.now() - began > LONGEST_MS) throw new Error(`${lines} of ${total} lines are stored`);
    await pause(POLL_MS);
  }
}
