import { resolve } from 'node:path';
import { messageOf } from '../../errors.ts';
import type { AgentConfig } from '../../schema/config/agent.ts';
import type { Agent, Availability } from '../agent.ts';
import { attemptEnvironment } from '../attempt-environment.ts';
import { INPUT_VARIABLE, rehearsalInput } from './rehearsal-input.ts';
import { rehearsalReader } from './rehearsal-reader.ts';
import { loadScenario } from './scenario.ts';

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
        [INPUT_VARIABLE]: JSON.stringify(rehearsalInput({ agent: name, scenario, assignment })),
      },
      pipeOutput: false,
    }),
    reader: () => rehearsalReader(),
  };
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
