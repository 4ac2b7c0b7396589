import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Command } from 'commander';
import { z } from 'zod';
import { originOfProcess, requirePerson } from '../../../access/caller-origin.ts';
import { AppError, messageOf } from '../../../errors.ts';
import { resolveHome } from '../../../home.ts';
import { ASSISTANTS, type Assistant, type ServerEntry } from '../../../mcp/install/assistants.ts';
import { findEntry, type InstallResult, installEntry, uninstallEntry } from '../../../mcp/install/install-entry.ts';
import { probeServer } from '../../../mcp/install/probe-server.ts';
import { OperatorTools } from '../../../mcp/operator-tools.ts';
import { toolServer } from '../../../mcp/tool-server.ts';
import type { OperationInput, OperationName } from '../../../operations/all.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { startInBackground } from '../../follow/detach.ts';
import type { Session } from '../../platform.ts';
import { oneLine } from '../../render/clean-text.ts';
import { printJson, printLines } from '../../render/output.ts';

const EXAMPLES = ['manyhands mcp', 'manyhands mcp install claude', 'manyhands mcp doctor'];

const INSTALL_EXAMPLES = ['manyhands mcp install claude', 'manyhands mcp install codex --json'];
const NAMES = ASSISTANTS.map(({ name }) => name);

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
    defineChange(
      command.command('install'),
      session,
      'add Manyhands to the settings of an assistant; the file is backed up',
    );
    defineChange(command.command('repair'), session, 'correct the entry after Manyhands or Node was moved');
    defineChange(command.command('uninstall'), session, 'remove it again; an unchanged file is restored byte for byte');
    defineDoctor(command.command('doctor'), session);
    defineSkill(command.command('skill'), session);
  },
};

function defineChange(command: Command, session: Session, description: string): void {
  const verb = command.name();
  command.description(description).argument('<assistant>', NAMES.join(', '));
  addHelp(
    addJson(command),
    INSTALL_EXAMPLES.map((line) => line.replace('install', verb)),
    READING_EXIT_CODES,
  );
  whenCalled(command, session, {
    options: CommonOptions,
    act: async ({ json }, [name = '']) => {
      const { terminal, world } = session.platform;
      requirePerson(terminal.env, 'Agents may not change the settings of an assistant');
      const target = { assistant: assistantOf(name), env: terminal.env, world };
      const result =
        verb === 'uninstall'
          ? await uninstallEntry(target)
          : await installEntry(target, ownEntry(terminal.env), { repair: verb === 'repair' });
      if (json) printJson(terminal, result);
      else printLines(terminal, [`${result.assistant}: ${CHANGES[result.change]} (${result.file})`]);
      if (!json && result.backup !== null && result.change === 'installed')
        terminal.err(`The file as it was before: ${result.backup}\n`);
      return result.change === 'absent' && verb === 'repair' ? 3 : 0;
    },
  });
}

const CHANGES: Readonly<Record<InstallResult['change'], string>> = {
  installed: 'Manyhands is added; restart the assistant',
  updated: 'the entry is corrected; restart the assistant',
  unchanged: 'the entry is already correct',
  restored: 'the file is as it was before',
  removed: 'the entry is removed; other changes since are kept',
  absent: 'there is no entry of Manyhands',
};

function defineDoctor(command: Command, session: Session): void {
  command.description('start the server as each assistant would, and report what it sees');
  addHelp(addJson(command), ['manyhands mcp doctor', 'manyhands mcp doctor --json'], READING_EXIT_CODES);
  whenCalled(command, session, {
    options: CommonOptions,
    act: async ({ json }) => {
      const { terminal } = session.platform;
      const found: Examined[] = [];
      for (const assistant of ASSISTANTS) found.push(await examine(session, assistant));
      if (json) printJson(terminal, found);
      else printLines(terminal, found.map(lineOf));
      return found.some(({ problem }) => problem !== null) ? 3 : 0;
    },
  });
}

/** What an assistant would see: `problem` says why it cannot use its entry. */
type Examined = { assistant: string; file: string; installed: boolean; tools: number; problem: string | null };

async function examine({ platform }: Session, assistant: Assistant): Promise<Examined> {
  const { env } = platform.terminal;
  const target = { assistant, env, world: platform.world };
  try {
    const { file, entry } = await findEntry(target);
    const seen = { assistant: assistant.name, file, installed: entry !== undefined };
    if (entry === undefined) return { ...seen, tools: 0, problem: null };
    const probe = await probeServer(entry, { env, cwd: process.cwd(), world: platform.world });
    return probe.ok
      ? { ...seen, tools: probe.tools.length, problem: null }
      : { ...seen, tools: 0, problem: probe.reason };
  } catch (error) {
    const problem = messageOf(error);
    return { assistant: assistant.name, file: assistant.file(env), installed: false, tools: 0, problem };
  }
}

function lineOf({ assistant, file, installed, tools, problem }: Examined): string {
  if (problem !== null)
    return `${assistant}: not usable: ${oneLine(problem)}; correct it with manyhands mcp repair ${assistant} (${file})`;
  if (!installed) return `${assistant}: not installed; add it with manyhands mcp install ${assistant}`;
  return `${assistant}: sees ${tools} tools (${file})`;
}

function defineSkill(command: Command, session: Session): void {
  command
    .description('print the text that teaches an assistant to use these tools')
    .option('--agents-md', 'as a section for AGENTS.md instead of a skill');
  addHelp(command, ['manyhands mcp skill', 'manyhands mcp skill --agents-md >> AGENTS.md'], READING_EXIT_CODES);
  whenCalled(command, session, {
    options: z.object({ agentsMd: z.boolean().default(false) }),
    act: async ({ agentsMd }) => {
      const file = agentsMd ? 'assistant/AGENTS.md' : 'assistant/claude-plugin/skills/manyhands/SKILL.md';
      session.platform.terminal.out(await readFile(packagePath(file), 'utf8'));
      return 0;
    },
  });
}

function assistantOf(name: string): Assistant {
  const found = ASSISTANTS.find((each) => each.name === name);
  if (found !== undefined) return found;
  throw new AppError('USAGE', `There is no assistant "${name}"; choose one of: ${NAMES.join(', ')}`);
}

/** This program by its full path: assistants with a window have no PATH. */
function ownEntry({ MANYHANDS_HOME }: NodeJS.ProcessEnv): ServerEntry {
  const env = MANYHANDS_HOME === undefined ? {} : { MANYHANDS_HOME };
  return { command: process.execPath, args: [packagePath('bin/manyhands.mjs'), 'mcp'], env };
}

/** A file of this package: programs are built one folder below it, sources lie deeper. */
function packagePath(path: string): string {
  const built = fileURLToPath(new URL(`../${path}`, import.meta.url));
  return existsSync(built) ? built : fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
}

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
