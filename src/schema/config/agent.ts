import { z } from 'zod';
import { Name, Seconds } from './scalars.ts';

export const AgentKind = z.enum(['acp', 'claude', 'codex', 'command', 'gemini', 'rehearsal']);
export type AgentKind = z.infer<typeof AgentKind>;

/** The reasoning effort of a model; each agent maps it to its own setting, or ignores it. */
export const Effort = z.enum(['low', 'medium', 'high', 'max']);
export type Effort = z.infer<typeof Effort>;

/** What an agent may do without asking. A role that only reads never gets more than `plan`. */
export const Permission = z.enum(['default', 'acceptEdits', 'plan', 'dontAsk', 'bypass']);
export type Permission = z.infer<typeof Permission>;

/** One login of an agent: environment variables, or a separate config directory. */
export const Account = z.strictObject({
  env: z.record(z.string(), z.string()).default({}).describe('Environment variables of this login.'),
  configDir: z.string().optional().describe('The config directory that holds this login.'),
  profile: z.string().optional().describe('Set by Manyhands: the CC Switch profile that this login was made from.'),
});
export type Account = z.infer<typeof Account>;

export const AgentConfig = z.strictObject({
  kind: AgentKind.describe('The kind of agent.'),
  command: z.string().optional().describe('The program, found on PATH or relative to the repository.'),
  args: z
    .array(z.string())
    .default([])
    .describe('Additional arguments; for command, {prompt} and {workspace} are replaced by paths.'),
  env: z.record(z.string(), z.string()).default({}).describe('Additional environment variables.'),
  models: z
    .strictObject({ light: z.string().optional(), standard: z.string().optional(), heavy: z.string().optional() })
    .prefault({})
    .describe('The model of each tier.'),
  model: z.string().optional().describe('One model for every tier.'),
  effort: Effort.optional().describe('The reasoning effort of the model.'),
  permission: Permission.optional().describe('What it may do without asking; default acceptEdits.'),
  accounts: z.record(Name, Account).default({}).describe('Several logins by name; a rate-limited one is skipped.'),
  scenario: z.string().optional().describe('For rehearsal: the scenario file to run.'),
  interactive: z
    .boolean()
    .optional()
    .describe('Run it in a terminal that a person can type into, for tasks that change files.'),
  readOnlyRoles: z
    .boolean()
    .optional()
    .describe('For acp: use a program in read-only roles although it is not known to request permission to write.'),
  maxParallel: z
    .number()
    .int()
    .positive()
    .optional()
    .describe(
      'Maximum number of its concurrent attempts, over all runs; where active runs have different values, the smallest. On hosts there is none unless it is set: their slots are the limit.',
    ),
  runtimeSeconds: Seconds.optional().describe('Time limit of one attempt.'),
  spendUsd: z.number().positive().optional().describe('Maximum cost in one run, in US dollars.'),
  spendUsdPerDay: z
    .number()
    .positive()
    .optional()
    .describe('Maximum cost over all runs in one day (local time), in US dollars.'),
});
export type AgentConfig = z.infer<typeof AgentConfig>;
