import { z } from 'zod';
import { AppError } from '../../errors.ts';
import type { AgentConfig } from '../../schema/config/agent.ts';
import type { Failure } from '../../schema/failure.ts';
import type { Usage } from '../../schema/usage.ts';
import type { Agent, AgentExit, AgentReader, AgentResult, Assignment, Availability } from '../agent.ts';
import { attemptEnvironment } from '../attempt-environment.ts';
import { exitFailure } from '../exit-failure.ts';
import { interactiveReader } from '../interactive-reader.ts';
import { parseJsonObject } from '../json-object.ts';
import { type FoundProgram, findProgram, type ProgramSearch, requireProgram } from '../program.ts';
import { tailOfLines } from '../tail-of-lines.ts';
import { COMMAND_NETWORK } from '../vendor-network.ts';
import { knownEvents } from './known-events.ts';

/** No attempt costs more: a larger amount is invalid, and would use up every budget. */
const MOST_USD = 100_000;

/** The usage that a command may report; an invalid amount makes all of it unknown. */
const ReportedUsage = z.object({
  costUsd: z.number().nonnegative().max(MOST_USD),
  inputTokens: z.number().int().nonnegative().default(0),
  outputTokens: z.number().int().nonnegative().default(0),
});

type Ended = { exit: AgentExit; final: Record<string, unknown> | undefined; text: string; errors: string };

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
    network: COMMAND_NETWORK,
    available: async () => availability(find()),
    command: async (assignment) => ({
      command: [requireProgram(name, find()), ...config.args.map((argument) => fillIn(argument, assignment))],
      env: attemptEnvironment(assignment, config.env),
      stdin: assignment.promptFile,
      pipeOutput: true,
    }),
    reader: ({ workspace }): AgentReader => commandReader(workspace),
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

/** Reads a plain program: a line is text, or a tool call in a known form; only the last non-empty line of stdout may be a structured result. */
function commandReader(workspace: string): AgentReader {
  const known = knownEvents(workspace);
  const earlier = tailOfLines();
  const errors = tailOfLines();
  let last = '';
  return {
    line(file, text) {
      if (file === 'stderr') errors.add(text);
      else if (text.trim() !== '') {
        if (last !== '') earlier.add(last);
        last = text;
      }
      const line = file === 'stdout' && text.startsWith('{') ? parseJsonObject(text) : undefined;
      return (line === undefined ? undefined : known(line)) ?? [{ type: 'text', text }];
    },
    usage: () => usageIn(parseJsonObject(last)),
    end(exit) {
      const final = parseJsonObject(last);
      if (final === undefined && last !== '') earlier.add(last);
      return resultOf({ exit, final, text: earlier.text(), errors: errors.text() });
    },
  };
}

function resultOf({ exit, final, text, errors }: Ended): AgentResult {
  const usage = usageIn(final);
  const failure = exitFailure(exit);
  if (failure !== undefined) return { usage, text, failure: withEvidence(failure, errors || text) };
  const output = outputIn(final);
  return output === undefined ? { usage, text } : { usage, text, output };
}

function usageIn(final: Record<string, unknown> | undefined): Usage {
  const reported = final?.usage;
  if (typeof reported !== 'object' || reported === null) return { kind: 'none' };
  const parsed = ReportedUsage.safeParse(reported);
  return parsed.success ? { kind: 'known', ...parsed.data, cachedTokens: 0, turns: 1 } : { kind: 'unknown' };
}

function outputIn(final: Record<string, unknown> | undefined): unknown {
  if (final === undefined || typeof final.usage !== 'object' || final.usage === null) return final;
  const { usage: _, ...output } = final;
  return Object.keys(output).length === 0 ? undefined : output;
}

function withEvidence(failure: Failure, evidence: string): Failure {
  return evidence === '' ? failure : { ...failure, evidence };
}
