import { z } from 'zod';
import { AgentConfig } from './config/agent.ts';
import { BudgetConfig } from './config/budget.ts';
import { CheckConfig } from './config/check.ts';
import { CriticalPatterns } from './config/critical-patterns.ts';
import { GitConfig } from './config/git.ts';
import { GuardsConfig } from './config/guards.ts';
import { LandMode } from './config/land.ts';
import { LimitsConfig } from './config/limits.ts';
import { McpServer } from './config/mcp.ts';
import { ReviewConfig } from './config/review.ts';
import { RoutingConfig } from './config/routing.ts';
import { ToolsConfig } from './config/tools.ts';
import { InsidePath, Name } from './config/words.ts';
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
  health: HealthThresholds.prefault({}).describe('When an attempt is warned about.'),
  risks: z
    .partialRecord(RiskName, RiskPolicy)
    .default({})
    .describe('For each risk: off, warn (default), or block: hold the work for a person.'),
  baseRed: z.enum(['repair', 'block']).default('repair').describe('What to do when a check is red before any work.'),
  limits: LimitsConfig,
  budget: BudgetConfig,
  workspace: WorkspaceConfig,
  git: GitConfig,
  land: LandMode.default('branch').describe(
    'branch: leave mh/<run>; merge: fast-forward the base; pr: open a pull request.',
  ),
  review: ReviewConfig,
});
export type Config = z.infer<typeof Config>;
