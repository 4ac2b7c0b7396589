import { type ChildProcess, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { makeRepository, PLAIN_ENVIRONMENT, runTool } from './scratch.ts';

/** A server with agents at work, each of which says what is written to its pipe. */
export interface LiveStage extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  readonly run: string;
  readonly pipes: readonly Socket[];
  /** A new address that logs a browser in, once. */
  link(): Promise<string>;
  /** The most memory that the server has taken so far, in MB. */
  memoryMb(): Promise<number>;
}

const FILES = 20;
const LOOK_MS = 50;
const LONGEST_MS = 300_000;
const PROGRAM = join(process.cwd(), 'bin', 'manyhands.mjs');
const Address = z.object({ url: z.string(), pid: z.number() });
const Told = z.object({ link: z.string() });
const Begun = z.object({ run: z.string() });

/** A fake agent: it costs next to nothing itself, so that all that is measured is ours. */
const AGENT = `#!/bin/sh
pipe="$PIPES/$MANYHANDS_ATTEMPT"
mkfifo "$pipe.new" && mv "$pipe.new" "$pipe"
exec cat "$pipe"
`;

/** Starts the real server and a run of so many tasks, and waits until all their agents are at work. */
export async function openLiveStage(folder: string, agents: number): Promise<LiveStage> {
  const repository = join(folder, 'repository');
  const home = join(folder, 'home');
  const pipes = join(folder, 'pipes');
  await Promise.all([mkdir(repository, { recursive: true }), mkdir(pipes, { recursive: true })]);
  await makeRepository(repository, FILES);
  await writeFile(join(folder, 'agent.sh'), AGENT.replaceAll('$PIPES', pipes), { mode: 0o755 });
  const items = Array.from({ length: agents }, (_, index) => ({
    id: `i${index}`,
    prompt: 'Say something',
    files: [`f-${index}`],
  }));
  await writeFile(join(folder, 'items.jsonl'), `${items.map((item) => JSON.stringify(item)).join('\n')}\n`);
  await mkdir(join(folder, '.config', 'manyhands'), { recursive: true });
  await writeFile(join(folder, '.config', 'manyhands', 'config.yaml'), 'limits:\n  freeMemoryMb: 0\n');
  const env = { ...PLAIN_ENVIRONMENT, HOME: folder, MANYHANDS_HOME: home };
  const serve = [...process.execArgv, PROGRAM, 'serve', '--port', '0'];
  const server = spawn(process.execPath, serve, { cwd: repository, env, stdio: 'ignore' });
  const mh = (...args: string[]) => runTool([process.execPath, PROGRAM, ...args], repository, { env });
  const close = () => end(server, () => mh('stop', '--agents'));
  try {
    const { url, pid } = await addressIn(home);
    const token = (await mh('token')).trim();
    const how = ['--agent', `command:${join(folder, 'agent.sh')}`, '--max-parallel', String(agents)];
    const { run } = Begun.parse(JSON.parse(await mh('run', join(folder, 'items.jsonl'), ...how, '--detach', '--json')));
    const open = await openPipes(pipes, agents);
    const memoryMb = async () =>
      Number(/VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
    const link = async () => Told.parse(JSON.parse(await mh('serve', '--json'))).link;
    return { url, token, run, pipes: open, link, memoryMb, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
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

async function addressIn(home: string): Promise<z.infer<typeof Address>> {
  for (const start = performance.now(); performance.now() - start < LONGEST_MS; await pause(LOOK_MS)) {
    // It is not there yet.
    const text = await readFile(join(home, 'server', 'address.json'), 'utf8').catch(() => undefined);
    if (text !== undefined) return Address.parse(JSON.parse(text));
  }
  throw new Error('The server does not say where it is');
}

async function end(server: ChildProcess, stop: () => Promise<string>): Promise<void> {
  const ended = new Promise((resolve) => server.once('close', resolve));
  await stop();
  await ended;
}
