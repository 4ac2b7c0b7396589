import { z } from 'zod';
import { AgentConfig } from './config/agent.ts';
import { BackupConfig } from './config/backup.ts';
import { BudgetConfig } from './config/budget.ts';
import { CheckConfig } from './config/check.ts';
import { CriticalPatterns } from './config/critical-patterns.ts';
import { GitConfig } from './config/git.ts';
import { GuardsConfig } from './config/guards.ts';
import { LandMode } from './config/land.ts';
import { LimitsConfig } from './config/limits.ts';
import { McpServer } from './config/mcp.ts';
import { PrConfig } from './config/pr.ts';
import { ProjectConfig } from './config/project.ts';
import { ReviewConfig } from './config/review.ts';
import { RoutingConfig } from './config/routing.ts';
import { InsidePath, Name } from './config/scalars.ts';
import { ScopeConfig } from './config/scope.ts';
import { SecretsConfig } from './config/secrets.ts';
import { ServerConfig } from './config/server.ts';
import { SmallCallsConfig } from './config/small-calls.ts';
import { SyntaxConfig } from './config/syntax.ts';
import { TODO_SETTINGS } from './config/todo.ts';
import { ToolsConfig } from './config/tools.ts';
import { TracksConfig } from './config/tracks.ts';
import { VerifyConfig } from './config/verify.ts';
import { WorkspaceConfig } from './config/workspace.ts';
import { HealthThresholds } from './health.ts';
import { RiskName, RiskPolicy } from './risk.ts';
import { Tier } from './task.ts';

/** All settings, with their defaults. The project's file is `.manyhands/config.yaml`; a global one stands below it. */
export const Config = z.strictObject({
  agents: z.record(Name, AgentConfig).default({}).describe('Agents by name.'),
  routing: RoutingConfig,
  roles: z
    .record(Name, z.strictObject({ agent: z.string().optional(), tier: Tier.optional() }))
    .default({})
    .describe('Agent and tier of a role.'),
  tools: ToolsConfig,
  mcp: z.record(Name, McpServer).default({}).describe('Servers of tools that agents are given.'),
  instructions: InsidePath.optional().describe('A file that every agent is told, below its role in rank.'),
  trust: z
    .record(InsidePath, z.string().regex(/^[0-9a-f]{64}$/))
    .default({})
    .describe('Settings files of the repository that agents may obey, each with its SHA-256.'),
  criticalPatterns: CriticalPatterns,
  checks: z
    .array(CheckConfig)
    .default([])
    .describe('Commands that must exit 0 on the merged tree before anything lands.'),
  guards: GuardsConfig,
  scope: ScopeConfig,
  secrets: SecretsConfig,
  syntax: SyntaxConfig,
  cleanOutput: z
    .boolean()
    .default(false)
    .describe('Let no attempt count as done whose last lines of output are an error.'),
  project: ProjectConfig,
  health: HealthThresholds.prefault({}).describe('When an attempt is warned about.'),
  risks: z
    .partialRecord(RiskName, RiskPolicy)
    .default({})
    .describe('For each risk: off, warn (default), or block: hold the work for a person.'),
  baseRed: z
    .enum(['ask', 'repair', 'block'])
    .default('ask')
    .describe(
      'What to do when a check fails on the base, before any work. ask: a job or a goal gets the output as part of its task, a run of many tasks is held for a decision; repair: the first task repairs the base (a job gets the output); block: every run is held.',
    ),
  limits: LimitsConfig,
  budget: BudgetConfig,
  smallCalls: SmallCallsConfig,
  workspace: WorkspaceConfig,
  git: GitConfig,
  land: LandMode.optional().describe(
    'branch: leave mh/<run> (the default, but for features); merge: fast-forward the base; pr: open a pull request.',
  ),
  pr: PrConfig,
  ...TODO_SETTINGS,
  review: ReviewConfig,
  tracks: TracksConfig,
  server: ServerConfig,
  backup: BackupConfig,
  verify: VerifyConfig,
  progress: InsidePath.optional().describe(
    'A file that tasks read at their start and that each landing adds a line to.',
  ),
  $schema: z.string().optional().describe('Where the JSON Schema of this file is, for editors.'),
});
export type Config = z.infer<typeof Config>;
