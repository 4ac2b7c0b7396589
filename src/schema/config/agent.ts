import { z } from 'zod';
import { Name, Seconds } from './scalars.ts';

export const AgentKind = z.enum(['acp', 'claude', 'codex', 'command', 'gemini', 'rehearsal']);
export type AgentKind = z.infer<typeof AgentKind>;

/** How hard a model thinks; each agent translates it into its own setting, or ignores it. */
export const Effort = z.enum(['low', 'medium', 'high', 'max']);
export type Effort = z.infer<typeof Effort>;

/** What an agent may do without asking. A role that only reads never gets more than `plan`. */
export const Permission = z.enum(['default', 'acceptEdits', 'plan', 'dontAsk', 'bypass']);
export type Permission = z.infer<typeof Permission>;

/** One login of an agent: variables, or a config directory of its own. */
export const Account = z.strictObject({
  env: z.record(z.string(), z.string()).default({}).describe('Variables of this login.'),
  configDir: z.string().optional().describe('The config directory that holds this login.'),
  profile: z.string().optional().describe('Set by Manyhands: the profile of CC Switch that this login is.'),
});
export type Account = z.infer<typeof Account>;

export const AgentConfig = z.strictObject({
  kind: AgentKind.describe('Which adapter drives it.'),
  command: z.string().optional().describe('The program, found on PATH or relative to the repository.'),
  args: z
    .array(z.string())
    .default([])
    .describe('Arguments added to ours; for command, {prompt} and {workspace} are replaced by paths.'),
  env: z.record(z.string(), z.string()).default({}).describe('Variables added to its environment.'),
  models: z
    .strictObject({ light: z.string().optional(), standard: z.string().optional(), heavy: z.string().optional() })
    .prefault({})
    .describe('The model of each tier.'),
  model: z.string().optional().describe('One model for every tier.'),
  effort: Effort.optional().describe('How hard the model thinks.'),
  permission: Permission.optional().describe('What it may do without asking; default acceptEdits.'),
  accounts: z.record(Name, Account).default({}).describe('Several logins by name; one that must rest is passed over.'),
  scenario: z.string().optional().describe('For rehearsal: the scenario file to run.'),
  interactive: z
    .boolean()
    .optional()
    .describe('It works in a terminal that a person can type into, in tasks that change files.'),
  maxParallel: z.number().int().positive().optional().describe('How many attempts it may work on at once.'),
  runtimeSeconds: Seconds.optional().describe('The longest one of its attempts may take.'),
  spendUsd: z.number().positive().optional().describe('Most US dollars it may spend in one run.'),
});
export type AgentConfig = z.infer<typeof AgentConfig>;
