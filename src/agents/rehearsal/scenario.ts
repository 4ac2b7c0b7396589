import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { AppError, messageOf } from '../../errors.ts';
import { parseLocatedYaml } from '../../roles/located-yaml.ts';
import { Step } from './scenario-step.ts';

const AgentName = z
  .string()
  .regex(/^[a-z][a-z0-9-]*$/, 'lower-case letters, digits and dashes, starting with a letter');
const OneOrMore = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).transform((value) => [value].flat());

/** Which attempts a play is for, and what happens in them; an absent condition holds always, `*` stands for any text. */
const Play = z.strictObject({
  role: OneOrMore.default(['*']),
  task: z.string().min(1).optional(),
  title: z.string().min(1).optional(),
  agent: OneOrMore.optional(),
  attempt: z.number().int().positive().optional(),
  steps: z.array(Step),
});
export type Play = z.infer<typeof Play>;

/** What rehearsal agents do, instead of a model; the first play that fits an attempt is played. */
export const Scenario = z
  .strictObject({
    agents: z.array(AgentName).min(1).optional(),
    goal: z.string().min(1).optional(),
    checks: z.array(z.string().min(1)).default([]),
    plays: z.array(Play).default([]),
  })
  .superRefine(({ agents, plays }, context) => {
    if (agents === undefined) return;
    if (new Set(agents).size < agents.length) {
      context.addIssue({ code: 'custom', path: ['agents'], message: 'names an agent twice' });
    }
    for (const [index, play] of plays.entries()) {
      const stranger = play.agent?.find((name) => !agents.includes(name));
      if (stranger === undefined) continue;
      const message = `"${stranger}" is none of the agents: ${agents.join(', ')}`;
      context.addIssue({ code: 'custom', path: ['plays', index, 'agent'], message });
    }
  })
  .transform(({ agents, ...rest }) => ({ agents: agents ?? ['rehearsal'], ...rest }));
export type Scenario = z.infer<typeof Scenario>;

/** Reads a scenario file; every mistake is told as file, line and reason. */
export function loadScenario(file: string): Scenario {
  return parseLocatedYaml(readText(file), Scenario, { file, code: 'SCENARIO_INVALID' });
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new AppError(
      'SCENARIO_INVALID',
      `Cannot read the scenario ${file}: ${messageOf(error)}`,
      { file },
      { cause: error },
    );
  }
}
