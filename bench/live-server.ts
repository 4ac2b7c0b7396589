import { openSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { type Served, serveIn } from './served.ts';

/** A server with running agents, each of which prints what is written to its pipe. */
export interface LiveServer extends Served {
  readonly run: string;
  readonly pipes: readonly Socket[];
}

const POLL_MS = 50;
const LONGEST_MS = 300_000;
const StartedRun = z.object({ run: z.string() });

/** A fake agent with almost no cost of its own, so that only Manyhands is measured. */
const AGENT = `#!/bin/sh
pipe="$PIPES/$MANYHANDS_ATTEMPT"
mkfifo "$pipe.new" && mv "$pipe.new" "$pipe"
exec cat "$pipe"
`;

/** Starts the real server and a run of so many tasks, and waits until all their agents are running. */
export async function openLiveServer(folder: string, agents: number): Promise<LiveServer> {
  const pipes = join(folder, 'pipes');
  await mkdir(pipes, { recursive: true });
  await writeFile(join(folder, 'agent.sh'), AGENT.replaceAll('$PIPES', pipes), { mode: 0o755 });
  const items = Array.from({ length: agents }, (_, index) => ({
    id: `i${index}`,
    prompt: 'Say something',
    files: [`f-${index}`],
  }));
  await writeFile(join(folder, 'items.jsonl'), `${items.map((item) => JSON.stringify(item)).join('\n')}\n`);
  const served = await serveIn(folder);
  try {
    const how = ['--agent', `command:${join(folder, 'agent.sh')}`, '--max-parallel', String(agents)];
    const started = await served.mh('run', join(folder, 'items.jsonl'), ...how, '--detach', '--json');
    return { ...served, run: StartedRun.parse(JSON.parse(started)).run, pipes: await openPipes(pipes, agents) };
  } catch (error) {
    await served[Symbol.asyncDispose]();
    throw error;
  }
}

async function openPipes(folder: string, count: number): Promise<Socket[]> {
  for (const start = performance.now(); performance.now() - start < LONGEST_MS; await pause(POLL_MS)) {
    const names = (await readdir(folder)).filter((name) => !name.endsWith('.new'));
    if (names.length === count)
      return names.map(
        (name) => new Socket({ fd: openSync(join(folder, name), 'w'), readable: false, writable: true }),
      );
  }
  throw new Error(`Fewer than ${count} agents started`);
}
