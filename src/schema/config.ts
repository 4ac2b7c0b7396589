import { z } from 'zod';
import { HealthThresholds } from './health.ts';
import { RiskName, RiskPolicy } from './risk.ts';
import { Tier } from './task.ts';

const Seconds = z
  .number()
  .positive()
  .max(30 * 86_400);
const Name = z.string().regex(/^[a-z][a-z0-9-]*$/, 'lower-case letters, digits and dashes, starting with a letter');
const InsidePath = z
  .string()
  .min(1)
  .refine((path) => !path.startsWith('/') && !path.split('/').includes('..'), 'must stay inside the repository');
const CommandText = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]);

export const AgentKind = z.enum(['acp', 'claude', 'codex', 'command', 'gemini', 'rehearsal']);
export type AgentKind = z.infer<typeof AgentKind>;

/** How hard a model thinks; each agent translates it into its own words, or ignores it. */
export const Effort = z.enum(['low', 'medium', 'high', 'max']);
export type Effort = z.infer<typeof Effort>;

/** What an agent may do without asking. A role that only reads never gets more than `plan`. */
export const Permission = z.enum(['default', 'acceptEdits', 'plan', 'dontAsk', 'bypass']);
export type Permission = z.infer<typeof Permission>;

/** One login of an agent: variables, or a config directory of its own. */
export const Account = z.strictObject({
  env: z.record(z.string(), z.string()).default({}).describe('Variables that stand for this login.'),
  configDir: z.string().optional().describe('The config directory that holds this login.'),
});
export type Account = z.infer<typeof Account>;

export const AgentConfig = z.strictObject({
  kind: AgentKind.describe('Which adapter drives it.'),
  command: z.string().optional().describe('The program, found on PATH or relative to the repository.'),
  args: z
    .array(z.string())
    .default([])
    .describe('Arguments added to ours; for command, {prompt} and {workspace} stand for files.'),
  env: z.record(z.string(), z.string()).default({}).describe('Variables added to its environment.'),
  models: z
    .strictObject({ light: z.string().optional(), standard: z.string().optional(), heavy: z.string().optional() })
    .prefault({})
    .describe('The model of each tier.'),
  model: z.string().optional().describe('One model for every tier.'),
  effort: Effort.optional().describe('How hard the model thinks.'),
  permission: Permission.optional().describe('What it may do without asking; default acceptEdits.'),
  accounts: z.record(Name, Account).default({}).describe('Several logins by name; one that must rest is passed over.'),
  scenario: z.string().optional().describe('For rehearsal: the scenario file to play.'),
  maxParallel: z.number().int().positive().optional().describe('How many attempts it may work on at once.'),
  runtimeSeconds: Seconds.optional().describe('The longest one of its attempts may take.'),
  spendUsd: z.number().positive().optional().describe('Most US dollars it may spend in one run.'),
});
export type AgentConfig = z.infer<typeof AgentConfig>;

/** A server of tools that agents are given: started by them, or reached by address. */
export const McpServer = z.union([
  z.strictObject({
    command: z.string(),
    args: z.array(z.string()).default([]),
    env: z.record(z.string(), z.string()).default({}),
  }),
  z.strictObject({ url: z.url(), headers: z.record(z.string(), z.string()).default({}) }),
]);
export type McpServer = z.infer<typeof McpServer>;

const CheckConfig = z.union([
  z.string().min(1),
  z.strictObject({ name: Name.optional(), run: CommandText, timeoutSeconds: Seconds.default(600) }),
]);

export const LandMode = z.enum(['branch', 'merge', 'pr']);
export type LandMode = z.infer<typeof LandMode>;

function isPattern(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    // Exactly what is asked here.
    return false;
  }
}

/** All settings, with their defaults. The project's file is `.manyhands/config.yaml`; a global one stands below it. */
export const Config = z.strictObject({
  agents: z.record(Name, AgentConfig).default({}).describe('Agents by name.'),
  routing: z
    .strictObject({
      order: z.array(z.string()).default([]).describe('Agents in order of preference.'),
      prefer: z.record(Name, z.array(z.string())).default({}).describe('Agents in order of preference for one role.'),
      tierByComplexity: z
        .boolean()
        .default(true)
        .describe('Choose light, standard or heavy by the size of a task where nothing says which.'),
      fallback: z.boolean().default(true).describe('Go on with the next agent when one must rest; else wait for it.'),
    })
    .prefault({}),
  roles: z
    .record(Name, z.strictObject({ agent: z.string().optional(), tier: Tier.optional() }))
    .default({})
    .describe('Agent and tier of a role.'),
  tools: z
    .strictObject({
      permissionMode: Permission.optional().describe(
        'What agents may do without asking, unless the agent says otherwise.',
      ),
      allowedCli: z.array(z.string()).default([]).describe('Programs agents may run, for example gh or docker.'),
      allowedTools: z
        .array(z.string())
        .default([])
        .describe('Tool patterns that are allowed, in the words of the agent.'),
      disallowedTools: z.array(z.string()).default([]).describe('Tool patterns that are refused.'),
      addDirs: z.array(z.string()).default([]).describe('Folders outside the workspace that agents may use.'),
      skipPermissions: z.boolean().default(false).describe('Allow everything; only in a container.'),
    })
    .prefault({}),
  mcp: z.record(Name, McpServer).default({}).describe('Servers of tools that agents are given.'),
  instructions: InsidePath.optional().describe('A file that every agent is told, below its role in rank.'),
  trust: z
    .record(InsidePath, z.string().regex(/^[0-9a-f]{64}$/))
    .default({})
    .describe('Settings files of the repository that agents may obey, each with its SHA-256.'),
  criticalPatterns: z
    .array(
      z.strictObject({
        pattern: z.string().min(1).refine(isPattern, 'is no regular expression'),
        label: z.string().min(1),
      }),
    )
    .default([])
    .describe("Texts on an agent's error channel that mean: the environment is broken."),
  checks: z
    .array(CheckConfig)
    .default([])
    .describe('Commands that must exit 0 on the merged tree before anything lands.'),
  guards: z
    .strictObject({
      tests: z.array(z.string()).default([]).describe('More globs of test files.'),
      config: z
        .array(z.string())
        .default([])
        .describe('More globs of files that decide how checks run; a change to one is held.'),
      allow: z.array(z.string()).default([]).describe('Globs that are never held.'),
      registries: z
        .array(z.string())
        .default([])
        .describe('Origins (https://host) from which lockfiles may take packages, besides those they name already.'),
    })
    .prefault({}),
  health: HealthThresholds.prefault({}).describe('When an attempt is warned about.'),
  risks: z
    .partialRecord(RiskName, RiskPolicy)
    .default({})
    .describe('For each risk: off, warn (default), or block: hold the work for a person.'),
  baseRed: z.enum(['repair', 'block']).default('repair').describe('What to do when a check is red before any work.'),
  limits: z
    .strictObject({
      agents: z.number().int().min(1).max(150).default(20).describe('Attempts at once.'),
      checks: z.number().int().min(1).max(64).default(2).describe('Checks at once.'),
      attempts: z.number().int().min(1).max(20).default(3).describe('Tries per task.'),
      runAttempts: z.number().int().min(1).max(100_000).default(5_000).describe('Tries per run, over all tasks.'),
      retryDelaySeconds: z.number().nonnegative().max(86_400).default(5).describe('Wait before a retry.'),
      inactivitySeconds: Seconds.default(300).describe('An attempt that says nothing for so long is stopped.'),
      runtimeSeconds: Seconds.default(3600).describe('The longest an attempt may take.'),
      turns: z.number().int().positive().optional().describe('Most turns of an attempt.'),
      outputBytes: z
        .number()
        .int()
        .positive()
        .default(256 * 1024 * 1024)
        .describe('Most output of an attempt.'),
      freeMemoryMb: z.number().nonnegative().default(256).describe('No attempt starts with less memory free.'),
      freeDiskMb: z.number().nonnegative().default(512).describe('No attempt starts with less disk free.'),
    })
    .prefault({}),
  budget: z
    .strictObject({
      run: z.number().positive().optional().describe('Most US dollars a run may spend.'),
      project: z.number().positive().optional().describe('Most US dollars all runs of the project may spend.'),
      attempt: z.number().positive().default(1).describe('US dollars reserved for an attempt while it runs.'),
    })
    .prefault({}),
  workspace: z
    .strictObject({
      symlinkDirs: z
        .array(InsidePath)
        .default(['node_modules'])
        .describe('Ignored folders every workspace gets its own copy of.'),
      copyFiles: z
        .array(InsidePath)
        .default([])
        .describe('Ignored files to copy from your checkout into every workspace.'),
      setup: z
        .array(CommandText)
        .default([])
        .describe('Commands that make a fresh checkout ready, for example npm ci.'),
      teardown: z.array(CommandText).default([]).describe('Commands to run before a workspace is removed.'),
      setupSeconds: Seconds.default(600).describe('Time limit of each set-up or teardown command.'),
      docker: z
        .strictObject({ service: Name, workDir: z.string().default('/app') })
        .optional()
        .describe('A compose service in which the commands of this project run.'),
    })
    .prefault({}),
  git: z
    .strictObject({
      base: z.string().optional().describe('The branch work starts from and lands on; default: the one checked out.'),
      author: z.string().default('Manyhands').describe('Author name of commits made for agents.'),
      email: z.string().default('manyhands@localhost').describe('Author address of those commits.'),
      trailers: z.array(z.string()).default([]).describe('Trailer lines added to those commits.'),
    })
    .prefault({}),
  land: LandMode.default('branch').describe(
    'branch: leave mh/<run>; merge: fast-forward the base; pr: open a pull request.',
  ),
  review: z
    .strictObject({
      rounds: z.number().int().min(0).max(20).default(3).describe('Most review rounds; 0 switches review off.'),
    })
    .prefault({}),
});
export type Config = z.infer<typeof Config>;
