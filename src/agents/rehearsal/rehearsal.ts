import { copyFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { messageOf } from '../../errors.ts';
import type { AgentConfig } from '../../schema/config/agent.ts';
import type { Failure } from '../../schema/failure.ts';
import type { Usage } from '../../schema/usage.ts';
import type { Agent, AgentEvent, AgentExit, AgentReader, Availability } from '../agent.ts';
import { attemptEnvironment } from '../attempt-environment.ts';
import { exitFailure } from '../exit-failure.ts';
import { parseJsonObject } from '../json-object.ts';
import { sumUsage } from '../sum-usage.ts';
import { tailOfLines } from '../tail-of-lines.ts';
import { INPUT_VARIABLE, RehearsalLine, rehearsalInput } from './rehearsal-input.ts';
import { loadScenario } from './scenario.ts';

type Ended = { kind: 'result'; text: string; output?: unknown } | { kind: 'failure'; failure: Failure };

/** A rehearsal agent's configuration. */
export interface RehearsalAgentOptions {
  name: string;
  config: AgentConfig;
  /** A relative scenario path begins here. */
  dir: string;
  /** The command that starts the rehearsal program. */
  program: readonly string[];
}

/** The maximum that the settings allow: a rehearsal costs nothing. */
const MAX_PARALLEL = 150;

/** An agent without a model: it performs a scenario, or default steps for its role, with real edits in the workspace. */
export function rehearsalAgent({ name, config, dir, program }: RehearsalAgentOptions): Agent {
  const scenario = config.scenario === undefined ? undefined : resolve(dir, config.scenario);
  return {
    name,
    kind: 'rehearsal',
    capabilities: { model: false, scripted: true, pictures: false, instructions: false },
    maxParallel: config.maxParallel ?? MAX_PARALLEL,
    vendor: undefined,
    available: async () => availability(scenario),
    command: async (assignment) => ({
      command: [...program, ...config.args],
      env: {
        ...attemptEnvironment(assignment, config.env),
        [INPUT_VARIABLE]: JSON.stringify(
          rehearsalInput({ agent: name, scenario: await visibleScenario(scenario, assignment.folder), assignment }),
        ),
      },
      pipeOutput: false,
    }),
    reader: () => rehearsalReader(),
  };
}

/** A copy in the folder of the attempt, because a sandbox does not show the file itself. */
async function visibleScenario(scenario: string | undefined, folder: string): Promise<string | undefined> {
  if (scenario === undefined) return undefined;
  const copy = join(folder, 'scenario.yaml');
  // The program reports a file that cannot be read.
  return copyFile(scenario, copy).then(
    () => copy,
    () => scenario,
  );
}

function availability(scenario: string | undefined): Availability {
  if (scenario === undefined) return { ok: true, detail: 'performs default steps for every role' };
  try {
    loadScenario(scenario);
    return { ok: true, detail: `performs ${scenario}` };
  } catch (error) {
    return { ok: false, detail: messageOf(error), nextStep: 'Correct the scenario file.' };
  }
}

/** Translates the rehearsal program's lines; an unknown line becomes an `unknown` event. */
function rehearsalReader(): AgentReader {
  let usage: Usage = { kind: 'none' };
  let session: string | undefined;
  let ended: Ended | undefined;
  const errors = tailOfLines();

  const read = (line: RehearsalLine): AgentEvent => {
    if (line.type === 'failure') {
      ended = { kind: 'failure', failure: line.failure };
      return { type: 'result', isError: true, text: line.failure.message };
    }
    if (line.type === 'session') session = line.id;
    if (line.type === 'usage') usage = sumUsage(usage, line.usage);
    if (line.type === 'result') ended = { kind: 'result', text: line.text, ...outputOf(line) };
    return line;
  };

  return {
    line(file, text) {
      if (file === 'stderr') {
        errors.add(text);
        return [{ type: 'text', text }];
      }
      const parsed = RehearsalLine.safeParse(parseJsonObject(text));
      return [parsed.success ? read(parsed.data) : { type: 'unknown', raw: text }];
    },
    usage: () => usage,
    end(exit) {
      const known = session === undefined ? { usage } : { usage, session };
      const failure = failureOf(exit, ended);
      if (failure !== undefined)
        return { ...known, text: failure.message, failure: withEvidence(failure, errors.text()) };
      return { ...known, text: ended?.kind === 'result' ? ended.text : '', ...outputOf(ended) };
    },
  };
}

function outputOf(from: object | undefined): { output?: unknown } {
  return from !== undefined && 'output' in from ? { output: from.output } : {};
}

/** A result counts even if the program was stopped after it; without one the exit code decides. */
function failureOf(exit: AgentExit, ended: Ended | undefined): Failure | undefined {
  if (ended?.kind === 'failure') return ended.failure;
  if (ended?.kind === 'result' && exit.kind === 'interrupted') return undefined;
  const failure = exitFailure(exit);
  if (failure !== undefined || ended !== undefined) return failure;
  return { kind: 'crashed', message: 'It ended without a result' };
}

function withEvidence(failure: Failure, evidence: string): Failure {
  return failure.evidence !== undefined || evidence === '' ? failure : { ...failure, evidence };
}
