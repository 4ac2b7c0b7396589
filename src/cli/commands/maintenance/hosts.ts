import type { HostView } from '../../../operations/hosts/list-hosts.ts';
import { addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { printJson, printLines, tableLines } from '../../render/output.ts';

const EXAMPLES = ['manyhands hosts', 'manyhands hosts --json'];

const COLUMNS = [
  { title: 'HOST' },
  { title: 'STATUS' },
  { title: 'BUSY', right: true },
  { title: 'AGENTS' },
  { title: 'LABELS' },
  { title: 'VERSION' },
  { title: 'MACHINE' },
  { title: 'ATTEMPTS' },
];

/** The machines that perform attempts. */
export const hostsCommand: CliCommand = {
  name: 'hosts',
  group: 'Maintenance',
  summary: 'list the hosts of the installation, and what runs where',
  define(command, session) {
    addHelp(addJson(command), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: CommonOptions,
      act: async ({ json }) => {
        const { terminal, openCaller } = session.platform;
        await using caller = await openCaller(terminal.env);
        const hosts = await caller.call('list-hosts', {});
        if (json) printJson(terminal, hosts);
        else if (hosts.length === 0) terminal.err('There are no hosts. Start one: manyhands host --name <name>\n');
        else printLines(terminal, tableLines(COLUMNS, hosts.map(rowOf), Number.MAX_SAFE_INTEGER));
        return 0;
      },
    });
  },
};

function rowOf({ name, status, busy, slots, agents, labels, version, machine, attempts }: HostView): string[] {
  const running = status === 'lost' ? '' : attempts.join(' ');
  return [name, status, `${busy}/${slots}`, agents.join(' '), labels.join(' '), version, machine, running];
}
