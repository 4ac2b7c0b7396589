import { Option } from 'commander';
import { z } from 'zod';
import type { OwnServer, ServerHandle } from '../../../access/server-handle.ts';
import { AppError } from '../../../errors.ts';
import { resolveHome } from '../../../home.ts';
import { addHelp, addJson, type CliCommand, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { announceRuns, detachSession } from '../../follow/detach.ts';
import { serve } from '../../follow/serve.ts';
import type { Session } from '../../platform.ts';
import { printJson, printLines } from '../../render/output.ts';

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

const EXAMPLES = ['manyhands serve --open', 'manyhands serve --detach', 'manyhands serve --port 8080 --no-resume'];

/** Serves the dashboard and the API, and carries every unfinished run on. */
export const serveCommand: CliCommand = {
  name: 'serve',
  group: 'Watch',
  summary: 'serve the dashboard and the API, and carry every unfinished run on',
  define(command, session) {
    command
      .option('--port <number>', 'the port (default: 4747, or a free one when that is taken)')
      .option('--host <address>', 'the address to listen on (default: 127.0.0.1, which only this machine reaches)')
      .option('--open', 'show the dashboard in the browser')
      .option('--detach', 'serve in the background; manyhands stop ends it')
      .option('--no-resume', 'leave unfinished runs as they are')
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
    await tell(session, await detachServer(session), { flags, isOwn: false });
    return 0;
  }
  await using caller = await platform.openCaller(platform.terminal.env);
  await serve(platform, caller, {
    request,
    resume: flags.resume,
    opened: async (door, own) => {
      if (flags.background) announceServer(session);
      else await tell(session, door, { flags, isOwn: own !== undefined });
      for (const note of own?.notes ?? []) platform.terminal.err(`note: ${note}\n`);
    },
    say: (line) => platform.terminal.err(`${line}\n`),
  });
  return 0;
}

/** The link is for the person who reads it now: where output may be kept, only the address is said. */
async function tell(
  session: Session,
  door: ServerHandle | OwnServer,
  { flags, isOwn }: { flags: Flags; isOwn: boolean },
): Promise<void> {
  const { terminal, reveal } = session.platform;
  if (flags.json) printJson(terminal, { url: door.url, link: await door.link(), pid: door.pid });
  else {
    const link = terminal.isOutputTerminal ? `${await door.link()}  (for one browser, once)` : door.url;
    printLines(terminal, [
      `Dashboard  ${link}`,
      `Data       ${resolveHome(terminal.env).root}`,
      `Stop       ${isOwn ? 'Ctrl-C, or manyhands stop' : 'manyhands stop'}; agents go on, and the next start takes them up`,
    ]);
    if (!isOwn && door.kind === 'run')
      terminal.err('A run that is under way shows it; this process takes over when that ends.\n');
  }
  if (isElsewhere(door, flags))
    terminal.err(
      `note: A server runs already, at ${door.url}, and stays there. To move it: manyhands stop, then again\n`,
    );
  if (flags.open) await reveal(await door.linkFile());
}

/** Whether a port was asked for by name, and the server that was found has another. */
function isElsewhere(door: ServerHandle, { port = '0' }: Flags): boolean {
  return Number(port) !== 0 && new URL(door.url).port !== port;
}

function portOf({ port }: Flags): { port?: number } {
  if (port === undefined) return {};
  if (/^\d{1,5}$/.test(port) && Number(port) <= 65_535) return { port: Number(port) };
  throw new AppError('USAGE', `--port is to be a number up to 65535, not ${port}`);
}

/** Starts the server in the background, or finds the one that runs; gives it as soon as it stands. */
async function detachServer(session: Session): Promise<ServerHandle> {
  await detachSession(session, false);
  const door = await session.platform.findServer();
  if (door === undefined) throw new AppError('INTERNAL', 'The server in the background ended at once');
  return door;
}

/** In the background: tells that the server stands. */
function announceServer(session: Session): void {
  announceRuns(session, []);
}
