import { addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { printJson } from '../../render/output.ts';

const EXAMPLES = ['manyhands logout', 'manyhands logout --json'];

/** Forgets the server and its token; commands work on the data directory of this machine again. */
export const logoutCommand: CliCommand = {
  name: 'logout',
  group: 'Maintenance',
  summary: 'forget the server of manyhands login and its token',
  define(command, session) {
    addHelp(addJson(command), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: CommonOptions,
      act: async ({ json }) => {
        const { terminal } = session.platform;
        const { removeLogin } = await import('../../../access/client/server-login.ts');
        const url = await removeLogin(terminal.env);
        if (json) printJson(terminal, { url: url ?? null });
        else if (url === undefined) terminal.err('This machine is logged in to no server.\n');
        else
          terminal.err(
            `Logged out of ${url}. The token is still valid there; to revoke it, run on that machine: manyhands token --renew\n`,
          );
        if (!json && terminal.env.MANYHANDS_SERVER)
          terminal.err('note: MANYHANDS_SERVER is set, so commands still use that server.\n');
        return 0;
      },
    });
  },
};
