import { once } from 'node:events';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { originOfProcess, requirePerson } from '../../../access/caller-origin.ts';
import { resolveHome } from '../../../home.ts';
import { OperatorTools } from '../../../mcp/operator-tools.ts';
import { toolServer } from '../../../mcp/tool-server.ts';
import type { OperationInput, OperationName } from '../../../operations/all.ts';
import { addDir, addHelp, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { startInBackground } from '../../follow/detach.ts';
import type { Session } from '../../platform.ts';

const EXAMPLES = ['manyhands mcp', 'manyhands mcp install claude', 'manyhands mcp doctor'];

/** Serves every operation of a person as a tool for their assistant, on standard input and output. */
export const mcpCommand: CliCommand = {
  name: 'mcp',
  group: 'Work',
  summary: 'let your own assistant (Claude Code, Codex, Cursor ...) control Manyhands over MCP',
  define(command, session) {
    addHelp(addDir(command.helpCommand(false)), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: CommonOptions,
      act: async ({ dir = process.cwd() }) => {
        await serveTools(session, dir);
        return 0;
      },
    });
  },
};

/** Serves until the assistant closes standard input; the engine is that of another process. */
async function serveTools({ platform }: Session, dir: string): Promise<void> {
  const { terminal, world } = platform;
  requirePerson(
    terminal.env,
    'manyhands mcp was called inside an attempt; its tools are for the assistant of a person',
  );
  const { actor } = originOfProcess(terminal.env, resolveHome(terminal.env));
  const person = actor.kind === 'person' ? actor.name : 'unknown';
  await using caller = await platform.openCaller(terminal.env, {
    startEngine: async () => {
      await startInBackground(platform, ['serve', '--background', '--no-resume'], { passInput: false });
    },
  });
  const source = new OperatorTools(world).source({
    role: 'operator',
    dir,
    call: (operation, input, { name = 'unknown', signal }) =>
      // The operation checks its input where it is run, the same for every entry point.
      caller.call(operation, input as OperationInput<OperationName>, {
        origin: { actor: { kind: 'assistant', name, person }, via: 'mcp' },
        signal,
      }),
  });
  const ended = once(process.stdin, 'end');
  const server = serveStdio(() => toolServer(source));
  await ended;
  await server.close();
}
