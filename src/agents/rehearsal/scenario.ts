import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { AppError, unreadableText } from '../../errors.ts';
import { parseLocatedYaml } from '../../roles/located-yaml.ts';
import { Step } from './scenario-step.ts';

const AgentName = z
  .string()
  .regex(/^[a-z][a-z0-9-]*$/, 'lower-case letters, digits and dashes, starting with a letter');
const OneOrMore = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).transform((value) => [value].flat());

/** Which attempts a script applies to, and their steps; an absent condition always matches, `*` matches any text. */
const Script = z.strictObject({
  role: OneOrMore.default(['*']),
  task: z.string().min(1).optional(),
  title: z.string().min(1).optional(),
  agent: OneOrMore.optional(),
  attempt: z.number().int().positive().optional(),
  steps: z.array(Step),
});
export type Script = z.infer<typeof Script>;

/** What rehearsal agents do instead of calling a model; the first matching script is performed. */
export const Scenario = z
  .strictObject({
    agents: z.array(AgentName).min(1).optional(),
    goal: z.string().min(1).optional(),
    checks: z.array(z.string().min(1)).default([]),
    plays: z.array(Script).default([]),
  })
  .superRefine(({ agents, plays }, context) => {
    if (agents === undefined) return;
    if (new Set(agents).size < agents.length) {
      context.addIssue({ code: 'custom', path: ['agents'], message: 'names an agent twice' });
    }
    for (const [index, script] of plays.entries()) {
      const unknownAgent = script.agent?.find((name) => !agents.includes(name));
      if (unknownAgent === undefined) continue;
      const message = `"${unknownAgent}" is none of the agents: ${agents.join(', ')}`;
      context.addIssue({ code: 'custom', path: ['plays', index, 'agent'], message });
    }
  })
  .transform(({ agents, ...rest }) => ({ agents: agents ?? ['rehearsal'], ...rest }));
export type Scenario = z.infer<typeof Scenario>;

/** Reads a scenario file; every error is reported with file, line and reason. */
export function loadScenario(file: string): Scenario {
  return parseLocatedYaml(readText(file), Scenario, { file, code: 'SCENARIO_INVALID' });
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new AppError('SCENARIO_INVALID', `The scenario ${file} ${unreadableText(error)}`, { file }, { cause: error });
  }
}
