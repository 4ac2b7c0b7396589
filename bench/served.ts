import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { makeRepository, PLAIN_ENVIRONMENT, runTool } from './scratch.ts';

/** The real server with a small repository. */
export interface Served extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  /** Runs a command in the repository. */
  mh(...args: string[]): Promise<string>;
  /** A new address that logs a browser in, once. */
  link(): Promise<string>;
  /** The server's peak memory so far, in MB. */
  memoryMb(): Promise<number>;
}

const FILES = 20;
const POLL_MS = 50;
const LONGEST_MS = 300_000;
const PROGRAM = join(process.cwd(), 'bin', 'manyhands.mjs');
const Address = z.object({ url: z.string(), pid: z.number() });
const ServeInfo = z.object({ link: z.string() });

/** The data directory of a server in this folder. */
export function homeIn(folder: string): string {
  return join(folder, 'home');
}

/** Creates a repository in the folder and starts the server in it. */
export async function serveIn(folder: string): Promise<Served> {
  const repository = join(folder, 'repository');
  await mkdir(repository, { recursive: true });
  await makeRepository(repository, FILES);
  await mkdir(join(folder, '.config', 'manyhands'), { recursive: true });
  await writeFile(join(folder, '.config', 'manyhands', 'config.yaml'), 'limits:\n  freeMemoryMb: 0\n');
  const env = { ...PLAIN_ENVIRONMENT, HOME: folder, MANYHANDS_HOME: homeIn(folder) };
  const serve = [...process.execArgv, PROGRAM, 'serve', '--port', '0'];
  const server = spawn(process.execPath, serve, { cwd: repository, env, stdio: 'ignore' });
  const mh = (...args: string[]) => runTool([process.execPath, PROGRAM, ...args], repository, { env });
  const close = () => end(server, () => mh('stop', '--agents'));
  try {
    const { url, pid } = await addressIn(homeIn(folder));
    const token = (await mh('token')).trim();
    const memoryMb = async () =>
      Number(/VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
    const link = async () => ServeInfo.parse(JSON.parse(await mh('serve', '--json'))).link;
    return { url, token, mh, link, memoryMb, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function addressIn(home: string): Promise<z.infer<typeof Address>> {
  for (const start = performance.now(); performance.now() - start < LONGEST_MS; await pause(POLL_MS)) {
    // It does not exist yet.
    const text = await readFile(join(home, 'server', 'address.json'), 'utf8').catch(() => undefined);
    if (text !== undefined) return Address.parse(JSON.parse(text));
  }
  throw new Error('The server did not write its address');
}

async function end(server: ChildProcess, stop: () => Promise<string>): Promise<void> {
  const ended = new Promise((resolve) => server.once('close', resolve));
  await stop();
  await ended;
}
