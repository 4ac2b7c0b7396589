import { addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import type { Platform } from '../../platform.ts';
import { printJson } from '../../render/output.ts';

const EXAMPLES = [
  'manyhands login https://manyhands.example.com',
  'ssh server manyhands token | manyhands login https://manyhands.example.com',
];

/** Logs in to a server: every later command works on its runs. */
export const loginCommand: CliCommand = {
  name: 'login',
  group: 'Maintenance',
  summary: 'use the runs of a server from this machine',
  define(command, session) {
    command.argument('<url>', 'the address of the server; plain http only for this machine');
    addHelp(addJson(command), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: CommonOptions,
      act: async ({ json }, [address = '']) => {
        const { terminal, version, world } = session.platform;
        const { requirePerson } = await import('../../../access/caller-origin.ts');
        requirePerson(terminal.env, 'This command was called from inside an attempt; agents log in to no server');
        const { requireToken, saveLogin, serverUrl } = await import('../../../access/client/server-login.ts');
        const { greetServer } = await import('../../../access/client/server-caller.ts');
        const { ServerConnection } = await import('../../../access/client/server-connection.ts');
        const url = serverUrl(address);
        const token = requireToken(await readToken(session.platform, url), url);
        const { role, version: theirs } = await greetServer(new ServerConnection({ url, token }), version);
        await saveLogin(terminal.env, { url, token }, world);
        if (json) printJson(terminal, { url, role, version: theirs });
        else
          terminal.err(`Logged in to ${url} (version ${theirs}) as ${role}. Back to this machine: manyhands logout\n`);
        return 0;
      },
    });
  },
};

/** The token is never an argument, which every user of the machine could read: a prompt, the environment, or standard input. */
async function readToken({ terminal, askSecret }: Platform, url: string): Promise<string> {
  const given = terminal.env.MANYHANDS_TOKEN;
  if (given !== undefined) return given;
  return (await askSecret(`Token of ${url} (manyhands token prints it there)`)) ?? (await terminal.readInput());
}
