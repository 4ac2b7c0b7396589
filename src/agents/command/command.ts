import { AppError } from '../../errors.ts';
import type { AgentConfig } from '../../schema/config/agent.ts';
import type { Agent, AgentReader, Assignment, Availability } from '../agent.ts';
import { attemptEnvironment } from '../attempt-environment.ts';
import { interactiveReader } from '../interactive-reader.ts';
import { type FoundProgram, findProgram, type ProgramSearch, requireProgram } from '../program.ts';
import { commandReader } from './command-reader.ts';

/** A command agent's configuration. */
export interface CommandAgentOptions {
  name: string;
  config: AgentConfig;
  search: ProgramSearch;
}

/** The maximum that the settings allow: a command has no limit of its own unless one is configured. */
const MAX_PARALLEL = 150;

/** Any program: it receives the prompt on stdin and as a file, and exit code 0 ends its turn. */
export function commandAgent({ name, config, search }: CommandAgentOptions): Agent {
  const program = config.command;
  if (program === undefined || program === '') {
    throw new AppError(
      'CONFIG_INVALID',
      `agents.${name}.command is missing: an agent of kind command needs a program`,
      { name },
    );
  }
  const find = () => findProgram(program, search);
  return {
    name,
    kind: 'command',
    capabilities: { model: false, scripted: false, pictures: false, instructions: false },
    maxParallel: config.maxParallel ?? MAX_PARALLEL,
    vendor: undefined,
    available: async () => availability(find()),
    command: async (assignment) => ({
      command: [requireProgram(name, find()), ...config.args.map((argument) => fillIn(argument, assignment))],
      env: attemptEnvironment(assignment, config.env),
      stdin: assignment.promptFile,
      pipeOutput: true,
    }),
    reader: (): AgentReader => commandReader(),
    interactive: {
      command: async (assignment) => ({
        command: [requireProgram(name, find()), ...config.args.map((argument) => fillIn(argument, assignment))],
        env: attemptEnvironment(assignment, config.env),
      }),
      reader: () => interactiveReader({ usage: { kind: 'none' } }),
    },
  };
}

function availability(program: FoundProgram): Availability {
  if ('found' in program) return { ok: true, detail: program.found };
  return {
    ok: false,
    detail: program.missing,
    nextStep: 'Install the program or make it executable, or choose another agent.',
  };
}

function fillIn(argument: string, { promptFile, workspace }: Assignment): string {
  return argument.replace(/\{(prompt|workspace)\}/g, (_, name) => (name === 'prompt' ? promptFile : workspace));
}
