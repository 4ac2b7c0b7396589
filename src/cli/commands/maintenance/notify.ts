import { addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { printJson, printLines } from '../../render/output.ts';

/** Sends a test message to the receivers of the user's settings. */
export const notifyCommand: CliCommand = {
  name: 'notify',
  group: 'Maintenance',
  summary: 'send a test message to the receivers under notify in your settings',
  define(command, session) {
    addHelp(addJson(command), ['manyhands notify', 'manyhands notify --json'], READING_EXIT_CODES);
    whenCalled(command, session, {
      options: CommonOptions,
      act: async ({ json }) => {
        const { terminal, openCaller } = session.platform;
        await using caller = await openCaller(terminal.env);
        const results = await caller.call('test-notify', {});
        if (json) printJson(terminal, results);
        else if (results.length === 0)
          printLines(terminal, [
            `No receiver is configured. Add one: manyhands config set notify '[{kind: ntfy, url: "https://ntfy.sh/a-long-random-topic"}]' --global`,
          ]);
        else
          printLines(
            terminal,
            results.map(({ kind, host, ok, detail }) => `${ok ? 'sent' : 'failed'}  ${kind}  ${detail ?? host}`),
          );
        return results.every(({ ok }) => ok) ? 0 : 1;
      },
    });
  },
};
