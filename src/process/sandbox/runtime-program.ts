import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { SandboxManager } from '@anthropic-ai/sandbox-runtime';
import { realWorld } from '../../world.ts';
import { BRIDGE_NAME } from '../network/bridge.ts';
import { bridgePort, holdSession } from '../network/bridge-connections.ts';
import { HOLD } from '../network/proxy-session.ts';
import { type RuntimeSettings, runtimeConfig, runtimeScript, withPort } from './runtime-config.ts';
import { keepRefreshed, makeRuntimeHome } from './runtime-home.ts';

const REFRESH_MS = 200;
/** What a shell says of a program that could not be started. */
const NOT_STARTED = 126;
/** A signal to end is for the program, which gets it too. */
const IGNORED = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGUSR1', 'SIGUSR2'] as const;

/** Contains one program: its settings are the only argument, and it ends with the exit code of the program. */
process.title = BRIDGE_NAME;
for (const signal of IGNORED) process.on(signal, () => {});
const folder = mkdtempSync(join(realpathSync(tmpdir()), 'mh-sandbox-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
try {
  process.exit(await contain(JSON.parse(process.argv[2] ?? '') as RuntimeSettings));
} catch (error) {
  process.stderr.write(`sandbox: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(NOT_STARTED);
}

async function contain(settings: RuntimeSettings): Promise<number> {
  const [home, temporary, empty] = ['home', 'tmp', 'empty'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(temporary, { mode: 0o700 });
  mkdirSync(empty, { mode: 0o700 });
  const { read, write, moved, refreshed } = makeRuntimeHome(settings, home);
  const socket = settings.network?.socket;
  const server = await bridgePort(socket, 0);
  const { port } = server.address() as AddressInfo;
  // Some programs know the loopback by this address only; a system without it has none that do.
  await bridgePort(socket, port, { host: '::1' }).catch(() => undefined);
  if (socket !== undefined) void holdSession(socket, HOLD);
  const place = { port, home, temporary, read, write, isAttended: process.stdin.isTTY === true };
  // It refuses to write some files of the folder in which it starts, which a task may well change.
  process.chdir(empty);
  await SandboxManager.initialize(runtimeConfig(settings, place));
  const { argv, env } = await SandboxManager.wrapWithSandboxArgv(runtimeScript(settings, place), '/bin/sh');
  const variables = Object.entries({ ...process.env, ...env }).map(([name, value = '']) => [
    name,
    withPort(moved.get(value) ?? value, port),
  ]);
  const [program = '', ...args] = argv;
  const child = spawn(program, args, { stdio: 'inherit', env: Object.fromEntries(variables) });
  const ended = new Promise<number>((resolve, reject) =>
    child
      .once('error', reject)
      .once('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]))),
  );
  void keepWhile(refreshed);
  const code = await ended;
  keepRefreshed(refreshed);
  await SandboxManager.reset();
  return code;
}

async function keepWhile(refreshed: Parameters<typeof keepRefreshed>[0]): Promise<void> {
  while (refreshed.length > 0) {
    await realWorld.sleep(REFRESH_MS);
    keepRefreshed(refreshed);
  }
}
