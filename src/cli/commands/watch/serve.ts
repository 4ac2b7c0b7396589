import { Option } from 'commander';
import { z } from 'zod';
import type { Caller } from '../../../access/caller.ts';
import type { OwnServer, ServerHandle, ServerRequest } from '../../../access/server-handle.ts';
import { loadConfig } from '../../../config/load.ts';
import { AppError, messageOf } from '../../../errors.ts';
import { onThisMachine, resolveHome } from '../../../home.ts';
import { addHelp, addJson, type CliCommand, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { announceRuns, detachSession } from '../../follow/detach.ts';
import type { Platform, Session } from '../../platform.ts';
import { printJson, printLines } from '../../render/output.ts';

type ServeOptions = {
  request: ServerRequest;
  /** Whether unfinished runs are resumed. */
  resume: boolean;
  /** Called once the server is open; `own` is undefined while another process serves the dashboard. */
  opened(server: ServerHandle, own: OwnServer | undefined): Promise<void>;
  report(line: string): void;
};

const Flags = z.object({
  port: z.string().optional(),
  host: z.string().optional(),
  open: z.boolean().default(false),
  detach: z.boolean().default(false),
  background: z.boolean().default(false),
  resume: z.boolean().default(true),
  json: z.boolean().default(false),
});
type Flags = z.infer<typeof Flags>;

/** The pause before a server that stands by tries to lead: another one may have been faster. */
const TRY_MS = 200;

const EXAMPLES = ['manyhands serve --open', 'manyhands serve --detach', 'manyhands serve --port 8080 --no-resume'];

/** Serves the dashboard and the API, and resumes every unfinished run. */
export const serveCommand: CliCommand = {
  name: 'serve',
  group: 'Watch',
  summary: 'serve the dashboard and the API, and resume unfinished runs',
  define(command, session) {
    command
      .option('--port <number>', 'the port (default: 4747, or a free one if 4747 is in use)')
      .option('--host <address>', 'the address to listen on (default: 127.0.0.1, reachable from this machine only)')
      .option('--open', 'open the dashboard in the browser')
      .option('--detach', 'serve in the background; stop it with manyhands stop')
      .option('--no-resume', 'do not resume unfinished runs')
      .addOption(new Option('--background').hideHelp());
    addHelp(addJson(command), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, { options: Flags, act: (flags) => act(session, flags) });
  },
};

async function act(session: Session, flags: Flags): Promise<number> {
  const { platform } = session;
  const request = {
    kind: 'serve' as const,
    ...portOf(flags),
    ...(flags.host === undefined ? {} : { host: flags.host }),
  };
  if (flags.detach) {
    await printServer(session, await detachServer(session), { flags, isOwn: false });
    return 0;
  }
  await using caller = await platform.openCaller(onThisMachine(platform.terminal.env));
  await serve(platform, caller, {
    request,
    resume: flags.resume,
    opened: async (server, own) => {
      if (flags.background) announceServer(session);
      else await printServer(session, server, { flags, isOwn: own !== undefined });
      for (const note of own?.notes ?? []) platform.terminal.err(`note: ${note}\n`);
    },
    report: (line) => platform.terminal.err(`${line}\n`),
  });
  return 0;
}

/** Prints the link, which logs one browser in, once; the log of a server in the background never has it. */
async function printServer(
  session: Session,
  server: ServerHandle | OwnServer,
  { flags, isOwn }: { flags: Flags; isOwn: boolean },
): Promise<void> {
  const { terminal, reveal } = session.platform;
  if (flags.json) printJson(terminal, { url: server.url, link: await server.link(), pid: server.pid });
  else {
    printLines(terminal, [
      `Dashboard  ${await server.link()}  (valid once, for one browser)`,
      `Data       ${resolveHome(terminal.env).root}`,
      `Stop       ${isOwn ? 'Ctrl-C, or manyhands stop' : 'manyhands stop'}; agents continue, and the next engine adopts them`,
    ]);
    if (!isOwn && server.kind === 'run')
      terminal.err('The process of a current run serves it; this process takes over when that one ends.\n');
  }
  if (isOnOtherPort(server, flags))
    terminal.err(
      `note: A server is already running at ${server.url}. To change its port: manyhands stop, then run this command again\n`,
    );
  if (flags.open) await reveal(await server.linkFile()).catch((error) => terminal.err(`note: ${messageOf(error)}\n`)); // The address is printed, and it serves.
}

/** Whether a port was requested and the running server uses another one. */
function isOnOtherPort(server: ServerHandle, { port = '0' }: Flags): boolean {
  return Number(port) !== 0 && new URL(server.url).port !== port;
}

function portOf({ port }: Flags): { port?: number } {
  if (port === undefined) return {};
  if (/^\d{1,5}$/.test(port) && Number(port) <= 65_535) return { port: Number(port) };
  throw new AppError('USAGE', `--port must be a number up to 65535, not ${port}`);
}

/** Starts the server in the background, or finds the running one; returns it once it is open. */
async function detachServer(session: Session): Promise<ServerHandle> {
  await detachSession(session, false);
  const server = await session.platform.findServer();
  if (server === undefined) throw new AppError('INTERNAL', 'The server in the background ended immediately');
  return server;
}

/** In the background: reports that the server is open. */
function announceServer(session: Session): void {
  announceRuns(session, []);
}

/** Serves until it is stopped: as the engine, or through the engine of another process until that ends. Agents continue. */
async function serve(platform: Platform, caller: Caller, options: ServeOptions): Promise<void> {
  const over = new AbortController();
  const end = () => over.abort();
  const stopListening = platform.onSignal(end);
  caller.ending.addEventListener('abort', end, { once: true });
  let own: OwnServer | undefined;
  try {
    for await (const engine of engines(platform, caller, over.signal)) {
      if ('holder' in engine) {
        await requireSharedRepository(platform, engine.holder);
        options.report(`Standing by: ${engine.holder} leads; this server takes over when that one ends`);
      }
      if (own === undefined) {
        const server = await platform.openServer(caller, options.request);
        if (isOwn(server)) own = server;
        await options.opened(server, own);
        if (own === undefined && server.kind === 'serve') return;
      }
      if (caller.engine() === 'own' && options.resume) await resumeRuns(caller, options.report);
    }
  } finally {
    stopListening();
    caller.ending.removeEventListener('abort', end);
    await own?.[Symbol.asyncDispose]();
    await caller.leave();
  }
}

/** A server that cannot reach the commits of the leader cannot continue its runs, so it does not stand by. */
async function requireSharedRepository({ terminal }: Platform, holder: string): Promise<void> {
  const { hosts } = await loadConfig({ env: terminal.env });
  if (hosts.git !== 'server') return;
  const message = `${holder} leads, and with hosts.git: server its commits are on its own disk: this server could not continue its runs. Set hosts.git to a repository that both servers reach`;
  throw new AppError('NOT_LEADER', message, { holder });
}

/** An engine, by its process, or with PostgreSQL the other server that leads. */
type Leading = { pid: number } | { holder: string };

/** Each engine in turn: when the engine of another process ends, or the lease of another server, this process becomes the engine. */
async function* engines(platform: Platform, caller: Caller, signal: AbortSignal): AsyncGenerator<Leading> {
  let holder: string | undefined;
  while (!signal.aborted) {
    try {
      for await (const { pid } of caller.stream('watch-engine', {}, { signal })) yield { pid };
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof AppError)) throw error;
      if (error.code === 'ENGINE_GONE') continue;
      const isStandBy = error.code === 'NOT_LEADER' && caller.engine() !== 'own';
      const isOutage = error.code === 'DATABASE_UNREACHABLE' && holder !== undefined;
      if (!isStandBy && !isOutage) throw error;
      const found = isStandBy ? String(error.details.holder) : holder;
      if (found !== undefined && found !== holder) yield { holder: found };
      holder = found;
      await platform.waitForVacancy(signal);
      // Safe: the end of the pause by the signal is the end of the loop.
      await platform.world.sleep(TRY_MS, signal).catch(() => {});
    }
  }
}

async function resumeRuns(caller: Caller, report: (line: string) => void): Promise<void> {
  const { runs, refused = [] } = await caller.call('resume-runs', {});
  if (runs.length > 0)
    report(`Resumed ${runs.length} unfinished ${runs.length === 1 ? 'run' : 'runs'}: ${runs.join(', ')}`);
  for (const { run, reason } of refused) report(`Run ${run} cannot be resumed: ${reason}`);
}

function isOwn(server: ServerHandle | OwnServer): server is OwnServer {
  return Symbol.asyncDispose in server;
}
