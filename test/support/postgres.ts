import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

/** A PostgreSQL server of its own, on a port of 127.0.0.1, whose data is removed at the end. */
export interface Postgres extends AsyncDisposable {
  /** Where its data is. */
  readonly data: string;
  /** The URL of a new, empty database. */
  createDatabase(): Promise<string>;
  /** Ends the server as a power failure would, and starts it again on the same port. */
  restart(signal?: 'SIGQUIT' | 'SIGINT'): Promise<void>;
  stop(signal?: 'SIGQUIT' | 'SIGINT'): Promise<void>;
  start(): Promise<void>;
  /** Leaves no space on its disk for some seconds, and starts it again where that has ended it; needs a disk of its own. */
  fillDisk(seconds: number): Promise<void>;
}

/** Why there is no PostgreSQL here; undefined if there is one. */
export const WITHOUT_POSTGRES = binaries() === undefined ? 'PostgreSQL is not installed' : undefined;

/** PostgreSQL refuses root: in a user namespace it sees another user, and can still reach the folders of root. */
const AS_OTHER_USER = process.getuid?.() === 0 ? ['unshare', '-U', '--map-user=1000', '--map-group=1000'] : ['env'];

/** The folder of a server, with the id of the test process that started it. */
const FOLDER = 'manyhands-pg-';

/** Starts a server; every test that needs one has its own. */
export async function startPostgres({
  addresses = [],
  diskMb,
}: {
  addresses?: readonly string[];
  /** Puts its data on a disk of its own, of this size; needs root. */
  diskMb?: number;
} = {}): Promise<Postgres> {
  const bin = binaries();
  if (bin === undefined) throw new Error(WITHOUT_POSTGRES);
  removeAbandoned();
  const folder = mkdtempSync(join(tmpdir(), `${FOLDER}${process.pid}-`));
  if (diskMb !== undefined) execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMb}m`, 'tmpfs', folder]);
  const data = join(folder, 'data');
  const options = { cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' } };
  const [program = '', ...prefix] = AS_OTHER_USER;
  const make = ['-D', data, '-U', 'manyhands', '-A', 'trust', '-E', 'UTF8', '--no-sync'];
  execFileSync(program, [...prefix, join(bin, 'initdb'), ...make], { ...options, stdio: 'pipe' });
  // The owner needs no password; the logins of hosts do.
  const access = [
    'local all all trust',
    'host all manyhands 127.0.0.1/32 trust',
    'host all all 127.0.0.1/32 scram-sha-256',
    ...addresses.map((address) => `host all manyhands ${address}/30 trust`),
  ];
  writeFileSync(join(data, 'pg_hba.conf'), `${access.join('\n')}\n`);
  const port = await freePort();
  let server: ReturnType<typeof spawn> | undefined;
  let databases = 0;

  async function start(): Promise<void> {
    const listen = `listen_addresses=${['127.0.0.1', ...addresses].join(',')}`;
    const settings = ['fsync=off', listen, `port=${port}`, `unix_socket_directories=${folder}`];
    const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])];
    server = spawn(program, [...prefix, join(bin ?? '', 'postgres'), ...args], { ...options, stdio: 'ignore' });
    while (!(await answers(urlOf('postgres')))) await pause(20);
  }

  async function stop(signal: 'SIGQUIT' | 'SIGINT' = 'SIGINT'): Promise<void> {
    const running = server;
    server = undefined;
    if (running === undefined || running.exitCode !== null) return;
    running.kill(signal);
    await once(running, 'exit');
  }

  const urlOf = (database: string) => `postgresql://manyhands@127.0.0.1:${port}/${database}`;
  await start();
  return {
    data,
    createDatabase: async () => {
      databases += 1;
      const name = `t${databases}`;
      await query(urlOf('postgres'), `CREATE DATABASE ${name}`);
      return urlOf(name);
    },
    start,
    stop,
    restart: async (signal) => {
      await stop(signal);
      await start();
    },
    fillDisk: async (seconds) => {
      const file = join(folder, 'filler');
      execFileSync('sh', ['-c', 'cat /dev/zero > "$1" || true', 'sh', file], { stdio: 'ignore' });
      await pause(seconds * 1_000);
      await rm(file);
      if (server?.exitCode !== null || !(await answers(urlOf('postgres')))) {
        await stop('SIGQUIT');
        await start();
      }
    },
    [Symbol.asyncDispose]: async () => {
      await stop();
      if (diskMb !== undefined) execFileSync('umount', [folder]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Runs statements on a connection of their own. */
export async function query(url: string, sql: string, values?: unknown[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end();
  }
}

/** Ends the servers of test processes that were killed, and removes their data. */
function removeAbandoned(): void {
  for (const name of readdirSync(tmpdir())) {
    const [, owner] = /^manyhands-pg-(\d+)-/.exec(name) ?? [];
    if (owner === undefined || existsSync(`/proc/${owner}`) || !existsSync('/proc/self')) continue;
    const folder = join(tmpdir(), name);
    const pidFile = join(folder, 'data', 'postmaster.pid');
    const [pid = ''] = existsSync(pidFile) ? readFileSync(pidFile, 'utf8').split('\n') : [];
    const command = `/proc/${pid}/cmdline`;
    if (pid !== '' && existsSync(command) && readFileSync(command, 'utf8').includes(folder))
      process.kill(Number(pid), 'SIGQUIT');
    // Its data may have a disk of its own.
    execFileSync('sh', ['-c', 'umount -l "$1" 2> /dev/null; rm -rf "$1"', 'sh', folder]);
  }
}

async function answers(url: string): Promise<boolean> {
  return query(url, 'SELECT 1').then(
    () => true,
    () => false,
  );
}

/** The folder with the server's programs, which are not on every PATH. */
function binaries(): string | undefined {
  const installed = '/usr/lib/postgresql';
  const versions = existsSync(installed) ? readdirSync(installed).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(installed, version, 'bin')),
    ...(process.env.PATH ?? '').split(':'),
  ];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
}

/** A port of 127.0.0.1 that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
