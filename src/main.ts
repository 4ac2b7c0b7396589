import { readFileSync } from 'node:fs';
import { createPlatform, type Surroundings } from './cli/create-platform.ts';
import { runProgram } from './cli/program.ts';
import { prepareHome, resolveHome } from './home.ts';
import { followLauncher } from './process/launcher-link.ts';
import { realWorld } from './world.ts';

// Our own package has one; a schema would cost a millisecond of every start.
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const { env } = process;

/** Everything else is loaded when a command needs it. */
const surroundings: Surroundings = {
  openCaller: async (callerEnv, options) => {
    const { openCaller } = await import('./access/open-caller.ts');
    return openCaller({ env: callerEnv, version, ...options });
  },
  watchForEngine: async (listener) => {
    const { watchForEngine } = await import('./access/watch-for-engine.ts');
    return watchForEngine(resolveHome(env), listener);
  },
  waitForVacancy: async (signal) => {
    const { waitForVacancy } = await import('./store/postgres/inspect.ts');
    return waitForVacancy(env.MANYHANDS_DATABASE_URL ?? '', realWorld, signal);
  },
  openServer: async (caller, request) => {
    const { openServer } = await import('./http/open-server.ts');
    return openServer(request, { env, caller, version, world: realWorld });
  },
  findServer: async () => {
    const { runningServer } = await import('./http/server-folder.ts');
    return runningServer(resolveHome(env), realWorld);
  },
  isServedWithRuns: async () => {
    const { loadConfig } = await import('./config/load.ts');
    const { withRuns } = (await loadConfig({ env })).server;
    return withRuns === 'always' || (withRuns === 'terminal' && process.stderr.isTTY === true);
  },
  takeToken: async (role, renew) => {
    const { requirePerson } = await import('./access/caller-origin.ts');
    requirePerson(env, 'This command was called from inside an attempt; agents get no token');
    const { takeToken } = await import('./http/login/tokens.ts');
    await prepareHome(resolveHome(env));
    return takeToken(resolveHome(env).server, role, { world: realWorld, renew });
  },
};

followLauncher();
// Nothing is left to do then: the system releases the memory of a process faster than Node does piece by piece.
process.once('beforeExit', () => process.once('exit', () => process.exit()));
void runProgram(process.argv.slice(2), createPlatform(version, surroundings)).then((code) => {
  process.exitCode = code;
});
