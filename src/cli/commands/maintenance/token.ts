import { z } from 'zod';
import { addHelp, addJson, type CliCommand, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { printJson, printLines } from '../../render/output.ts';

const Flags = z.object({
  viewer: z.boolean().default(false),
  renew: z.boolean().default(false),
  json: z.boolean().default(false),
});

const EXAMPLES = [
  'curl -H "Authorization: Bearer $(manyhands token)" http://127.0.0.1:4747/api/runs',
  'manyhands token --viewer',
  'manyhands token --renew',
];

/** Prints the token with which programs authenticate to the server. */
export const tokenCommand: CliCommand = {
  name: 'token',
  group: 'Maintenance',
  summary: 'print the token with which programs use the server',
  define(command, session) {
    command
      .option('--viewer', 'the read-only token')
      .option('--renew', 'replace it; every browser and program must log in again');
    addHelp(addJson(command), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async ({ viewer, renew, json }) => {
        const { terminal, takeToken } = session.platform;
        const role = viewer ? 'viewer' : 'operator';
        const token = await takeToken(role, renew);
        if (json) printJson(terminal, { role, token });
        else printLines(terminal, [token]);
        return 0;
      },
    });
  },
};
