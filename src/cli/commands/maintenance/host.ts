import { type Command, Option } from 'commander';
import { z } from 'zod';
import { AppError } from '../../../errors.ts';
import { Labels } from '../../../schema/config/hosts.ts';
import { addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import type { Session } from '../../platform.ts';
import { printJson } from '../../render/output.ts';

const Flags = z.object({
  name: z.string().optional(),
  slots: z.string().default('4'),
  agents: z.string().optional(),
  labels: z.string().default(''),
  guard: z.boolean().default(false),
});
type Flags = z.infer<typeof Flags>;

const DrainFlags = CommonOptions.extend({ undo: z.boolean().default(false) });

const MOST_SLOTS = 1_000;

const EXAMPLES = [
  'manyhands host --name b2 --slots 8',
  'manyhands host --name mac-1 --agents claude,codex --labels mac,gpu',
  'manyhands host add b2',
  'manyhands host drain b2',
  'manyhands host revoke b2',
  'manyhands host remove b2',
];

/** This machine as a host, which performs attempts for the server that leads. */
export const hostCommand: CliCommand = {
  name: 'host',
  group: 'Maintenance',
  summary: 'perform attempts on this machine for a server with PostgreSQL',
  define(command, session) {
    command
      .helpCommand(false)
      .option('--name <name>', 'the name of this host in the installation; required')
      .option('--slots <number>', 'how many attempts it performs at once (default: 4)')
      .option('--agents <names>', 'only these agents, separated by commas (default: all that work here)')
      .option('--labels <labels>', 'labels that tasks can require, separated by commas')
      .addOption(new Option('--guard').hideHelp());
    addHelp(command, EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, { options: Flags, act: (flags) => act(session, flags) });
    defineAdd(command.command('add'), session);
    defineDrain(command.command('drain'), session);
    defineRevoke(command.command('revoke'), session);
    defineRemove(command.command('remove'), session);
  },
};

async function act({ platform }: Session, flags: Flags): Promise<number> {
  const { name } = flags;
  if (name === undefined) throw new AppError('USAGE', 'A host needs a name: --name <name>');
  const { guardHost, runHost } = await import('../../../access/own-host.ts');
  const { terminal, version, world } = platform;
  if (flags.guard) {
    await guardHost(terminal.env, name, world);
    return 0;
  }
  const over = new AbortController();
  const stopListening = platform.onSignal(() => over.abort());
  const log = (line: string) => terminal.err(`${line}\n`);
  try {
    await runHost({
      name,
      slots: slotsOf(flags),
      agents: flags.agents === undefined ? undefined : listOf(flags.agents),
      labels: labelsOf(flags),
      version,
      world,
      env: terminal.env,
      guard: [process.execPath, ...process.execArgv, process.argv[1] ?? '', 'host', '--guard', '--name', name],
      signal: over.signal,
      onRegistered: ({ slots, agents }) =>
        log(`The host ${name} is registered: ${slots} slots, agents ${agents.join(', ')}. Stop it with Ctrl-C.`),
      log,
    });
  } finally {
    stopListening();
  }
  return 0;
}

function slotsOf({ slots }: Flags): number {
  if (/^\d{1,4}$/.test(slots) && Number(slots) >= 1 && Number(slots) <= MOST_SLOTS) return Number(slots);
  throw new AppError('USAGE', `--slots must be a number from 1 to ${MOST_SLOTS}, not ${slots}`);
}

function labelsOf({ labels }: Flags): string[] {
  const parsed = Labels.safeParse(listOf(labels));
  if (parsed.success) return parsed.data;
  throw new AppError('USAGE', `--labels ${labels}: each ${parsed.error.issues[0]?.message}`);
}

function listOf(text: string): string[] {
  return text.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
}

function defineAdd(command: Command, session: Session): void {
  command
    .description('create the login of a host, or replace its token; the URL is printed once')
    .argument('<name>', 'the name that the host will have');
  addHelp(addJson(command), ['manyhands host add b2'], READING_EXIT_CODES);
  whenCalled(command, session, {
    options: CommonOptions,
    act: async ({ json }, [name = '']) => {
      const { terminal, openCaller } = session.platform;
      await using caller = await openCaller(terminal.env);
      const added = await caller.call('add-host', { name });
      if (json) printJson(terminal, added);
      else {
        terminal.err(`Set this on the machine of ${name}, then start it with manyhands host --name ${name}:\n`);
        terminal.out(`MANYHANDS_DATABASE_URL=${added.url}\n`);
        const address = addressOf(added.url);
        if (isOwnMachine(address))
          terminal.err(
            `note: ${address} is each machine itself. On another machine than this one, replace it with the name or address by which that machine reaches PostgreSQL\n`,
          );
      }
      return 0;
    },
  });
}

/** Where PostgreSQL is, by its URL: a name, an address, or the folder of its socket. */
function addressOf(url: string): string {
  const { hostname, searchParams } = new URL(url);
  return searchParams.get('host') ?? (hostname || 'localhost');
}

function isOwnMachine(address: string): boolean {
  return /^(localhost|127\.[\d.]+|\[?::1\]?|\/.*)$/i.test(address);
}

function defineDrain(command: Command, session: Session): void {
  command
    .description('let a host finish what it runs, and give it nothing new')
    .argument('<name>', 'a host that manyhands hosts lists')
    .option('--undo', 'let it accept orders again');
  addHelp(addJson(command), ['manyhands host drain b2', 'manyhands host drain b2 --undo'], READING_EXIT_CODES);
  whenCalled(command, session, {
    options: DrainFlags,
    act: async ({ undo, json }, [name = '']) => {
      const { terminal, openCaller } = session.platform;
      await using caller = await openCaller(terminal.env);
      const drained = await caller.call('drain-host', { name, undo });
      if (json) printJson(terminal, drained);
      else
        terminal.err(undo ? `${name} accepts orders again\n` : `${name} finishes what it runs and gets nothing new\n`);
      return 0;
    },
  });
}

function defineRevoke(command: Command, session: Session): void {
  command
    .description('remove the login of a host: it is refused, and its tasks start elsewhere')
    .argument('<name>', 'a host with a login of its own');
  addHelp(addJson(command), ['manyhands host revoke b2'], READING_EXIT_CODES);
  endHost(command, session, { operation: 'revoke-host', message: (name) => `The token of ${name} is refused` });
}

function defineRemove(command: Command, session: Session): void {
  command
    .description('forget a host that has ended, with its login')
    .argument('<name>', 'a host that manyhands hosts lists');
  addHelp(addJson(command), ['manyhands host remove b2'], READING_EXIT_CODES);
  endHost(command, session, { operation: 'remove-host', message: (name) => `${name} is forgotten` });
}

type Ending = { operation: 'revoke-host' | 'remove-host'; message: (name: string) => string };

function endHost(command: Command, session: Session, { operation, message }: Ending): void {
  whenCalled(command, session, {
    options: CommonOptions,
    act: async ({ json }, [name = '']) => {
      const { terminal, openCaller } = session.platform;
      await using caller = await openCaller(terminal.env);
      const ended = await caller.call(operation, { name });
      if (json) printJson(terminal, ended);
      else terminal.err(`${message(name)}\n`);
      return 0;
    },
  });
}
