import { openSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { type Served, serveIn } from './served.ts';

/** A server with agents at work, each of which says what is written to its pipe. */
export interface LiveStage extends Served {
  readonly run: string;
  readonly pipes: readonly Socket[];
}

const LOOK_MS = 50;
const LONGEST_MS = 300_000;
const Begun = z.object({ run: z.string() });

/** A fake agent: it costs next to nothing itself, so that all that is measured is ours. */
const AGENT = `#!/bin/sh
pipe="$PIPES/$MANYHANDS_ATTEMPT"
mkfifo "$pipe.new" && mv "$pipe.new" "$pipe"
exec cat "$pipe"
`;

/** Starts the real server and a run of so many tasks, and waits until all their agents are at work. */
export async function openLiveStage(folder: string, agents: number): Promise<LiveStage> {
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
    const begun = await served.mh('run', join(folder, 'items.jsonl'), ...how, '--detach', '--json');
    return { ...served, run: Begun.parse(JSON.parse(begun)).run, pipes: await openPipes(pipes, agents) };
  } catch (error) {
    await served[Symbol.asyncDispose]();
    throw error;
  }
}

async function openPipes(folder: string, count: number): Promise<Socket[]> {
  for (const start = performance.now(); performance.now() - start < LONGEST_MS; await pause(LOOK_MS)) {
    const names = (await readdir(folder)).filter((name) => !name.endsWith('.new'));
    if (names.length === count)
      return names.map(
        (name) => new Socket({ fd: openSync(join(folder, name), 'w'), readable: false, writable: true }),
      );
  }
  throw new Error(`Fewer than ${count} agents came to work`);
}
