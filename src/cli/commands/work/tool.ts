import { AppError } from '../../../errors.ts';
import { callAgentTool, serveAgentTools } from '../../../mcp/agent-tools.ts';
import { addHelp, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { printJson } from '../../render/output.ts';

const EXAMPLES = [
  'manyhands tool list-tools',
  `manyhands tool write_note '{"key": "api/errors", "text": "Errors have a code."}'`,
  'manyhands agent-tools',
];

/** Calls a tool of the attempt that this process belongs to; without a name it is an MCP server for all of them. */
export const toolCommand: CliCommand = {
  name: 'tool',
  aliases: ['agent-tools'],
  group: 'Work',
  summary: 'call a tool of Manyhands from inside an attempt',
  define(command, session) {
    command
      .argument(
        '[name]',
        'the tool, such as write_note; without it all tools are served over MCP on standard input and output',
      )
      .argument('[json]', 'its arguments, as one JSON object', '{}');
    addHelp(command, EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: CommonOptions,
      act: async (_, [name, json = '{}']) => {
        const { terminal } = session.platform;
        const file = terminal.env.MANYHANDS_TOOLS;
        if (file === undefined)
          throw new AppError('TOOL_REFUSED', 'This is not the program of an attempt: MANYHANDS_TOOLS is not set');
        if (name !== undefined) {
          printJson(terminal, await callAgentTool(file, name, json));
          return 0;
        }
        await serveAgentTools(file);
        return 0;
      },
    });
  },
};
