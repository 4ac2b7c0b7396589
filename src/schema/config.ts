import { z } from 'zod';
import { AgentConfig } from './config/agent.ts';
import { BackupConfig } from './config/backup.ts';
import { GitConfig } from './config/git.ts';
import { HealthThresholds } from './config/health.ts';
import { HostsConfig, Labels } from './config/hosts.ts';
import { IntegrationsConfig } from './config/integrations.ts';
import { LandMode } from './config/land.ts';
import { LimitsConfig } from './config/limits.ts';
import { McpServer } from './config/mcp.ts';
import { NetworkConfig } from './config/network.ts';
import { NotifyConfig } from './config/notify.ts';
import { PolicyConfig } from './config/policy.ts';
import { ResourcesConfig } from './config/resources.ts';
import { ReviewConfig } from './config/review.ts';
import { RoutingConfig } from './config/routing.ts';
import { SandboxMode, SandboxPaths } from './config/sandbox.ts';
import { CommandText, InsidePath, Name, Seconds } from './config/scalars.ts';
import { ScopeConfig } from './config/scope.ts';
import { ServerConfig } from './config/server.ts';
import { SyntaxConfig } from './config/syntax.ts';
import { AssistantConfig, ToolsConfig } from './config/tools.ts';
import { TracksConfig } from './config/tracks.ts';
import { VerifyConfig } from './config/verify.ts';
import { PortsConfig, WorkspaceConfig } from './config/workspace.ts';
import { RiskName, RiskPolicy } from './risk.ts';
import { Tier } from './task.ts';

/** Which model answers small calls: the title of a run, the tier of a task, why a task failed. */
const SmallCallsConfig = z
  .strictObject({
    use: z
      .enum(['auto', 'api', 'agent', 'rules'])
      .default('auto')
      .describe(
        'api: a model by its key in the environment; agent: the light tier of an agent; rules: no model is called. auto: an api or a light model, but only of a vendor whose agent works in the run.',
      ),
    models: z
      .strictObject({
        anthropic: z.string().default('claude-haiku-4-5').describe('Called with ANTHROPIC_API_KEY.'),
        openai: z.string().default('gpt-6-luna').describe('Called with OPENAI_API_KEY.'),
        gemini: z.string().default('gemini-3.1-flash-lite').describe('Called with GEMINI_API_KEY.'),
      })
      .prefault({}),
    budget: z.number().nonnegative().default(0.2).describe('Maximum cost per run in US dollars; 0 calls no model.'),
  })
  .prefault({});

/** Patterns that identify a broken environment. */
const CriticalPatterns = z
  .array(
    z.strictObject({
      pattern: z.string().min(1).refine(isPattern, 'is not a regular expression'),
      label: z.string().min(1),
    }),
  )
  .default([])
  .describe("Patterns in an agent's standard error that indicate a broken environment.");

/** Which changes are held for a person. */
const GuardsConfig = z
  .strictObject({
    tests: z.array(z.string()).default([]).describe('Additional globs of test files.'),
    config: z
      .array(z.string())
      .default([])
      .describe('Additional globs of files that determine how checks run; a change to one is held.'),
    allow: z.array(z.string()).default([]).describe('Globs that are never held.'),
    quarantine: z
      .array(z.string())
      .default([])
      .describe('Names of flaky tests, as the evidence shows them; their failure does not count.'),
    registries: z
      .array(z.string())
      .default([])
      .describe(
        'Origins (https://host) from which lockfiles may take packages, in addition to those they already name.',
      ),
  })
  .prefault({});

/** Facts about the project that every agent gets. */
const ProjectConfig = z
  .strictObject({
    testCommand: z
      .string()
      .min(1)
      .optional()
      .describe('The command that runs the tests; a check like those in checks.'),
    testInstructions: InsidePath.optional().describe(
      'A Markdown file that tells agents how to test, instead of the list of checks; the checks still decide.',
    ),
    keyFiles: z.array(InsidePath).default([]).describe('Files and folders that agents should read first.'),
  })
  .prefault({});

/** How far a to-do list is executed without approval: settings at the top of the file. */
const TODO_SETTINGS = {
  mode: z
    .enum(['review', 'yolo'])
    .default('review')
    .describe('review: stop where a person should review; yolo: continue to the end.'),
  stopAfterGenerate: z
    .boolean()
    .optional()
    .describe('Stop after tasks were generated from a to-do list; default: true in mode review.'),
  autoApprove: z.boolean().default(false).describe('Approve generated tasks and plans automatically.'),
  autoPr: z.boolean().optional().describe('Open pull requests for finished work; default: true in mode yolo.'),
};

/** How pull requests are created from a run. */
const PrConfig = z
  .strictObject({
    per: z
      .enum(['run', 'task'])
      .optional()
      .describe('One pull request for the run, or one for each task; default: run, and task for manyhands yolo.'),
    draft: z
      .enum(['auto', 'always', 'never'])
      .default('auto')
      .describe('auto: a draft where tasks failed or no check passed on the result.'),
    pushFailed: z.boolean().default(false).describe('Also push the work of failed tasks, each to its own branch.'),
  })
  .prefault({});

/** How the work of agents is scanned for secrets. */
const SecretsConfig = z
  .strictObject({
    off: z.boolean().default(false).describe('Disable the scan for secrets.'),
    allow: z
      .array(z.string().regex(/^[0-9a-f]{16}$/, 'must be a fingerprint of 16 characters, as the evidence shows it'))
      .default([])
      .describe('Fingerprints of findings that are not secrets, as the evidence of the gate shows them.'),
  })
  .prefault({});

/** Where unexpected errors of this program are reported to. */
const ErrorsConfig = z
  .strictObject({
    report: z
      .union([z.literal('off'), z.url({ protocol: /^https?$/ })])
      .default('off')
      .describe(
        'off, the DSN of a Sentry project (https://<key>@<host>/<project>), or the address of an OTLP/HTTP receiver (http://localhost:4318). Secrets and your home folder are removed from what is sent.',
      ),
  })
  .prefault({})
  .describe(
    'Reports of unexpected errors of Manyhands itself. Read only from your own settings file, not from that of a project.',
  );

/** How decisions of a person are confirmed. */
const ApproveConfig = z
  .strictObject({
    confirm: z
      .enum(['off', 'terminal'])
      .default('off')
      .describe(
        'terminal: approvals, rejections, retries, landing and undoing need a one-time code that is shown only on the terminal in which the engine was started. The file of a project can only make it tighter.',
      ),
  })
  .prefault({});

/** Spending limits. */
const BudgetConfig = z
  .strictObject({
    run: z.number().positive().optional().describe('Maximum cost of a run in US dollars.'),
    project: z.number().positive().optional().describe('Maximum cost of all runs of the project in US dollars.'),
    recovery: z
      .number()
      .positive()
      .optional()
      .describe('Maximum cost, in US dollars, of the attempts of a run that repeat failed ones; default: no limit.'),
    attempt: z.number().positive().default(1).describe('US dollars reserved for an attempt while it runs.'),
  })
  .prefault({});

/** A command that must exit 0. */
const CheckConfig = z.union([
  z.string().min(1),
  z.strictObject({
    name: Name.optional(),
    run: CommandText,
    full: CommandText.optional().describe(
      'For a check with {packages} or {changed}: the command that runs before the base moves; default: run with all packages or files.',
    ),
    timeoutSeconds: Seconds.default(600),
    rerun: z.number().int().min(0).max(5).optional().describe('Reruns after a failure; default: limits.checkReruns.'),
    labels: Labels.optional().describe('Labels that a host must have to run the check.'),
  }),
]);

/** All settings, with their defaults. The project's file is `.manyhands/config.yaml`; it takes precedence over the global one. */
export const Config = z.strictObject({
  agents: z.record(Name, AgentConfig).default({}).describe('Agents by name.'),
  routing: RoutingConfig,
  roles: z
    .record(Name, z.strictObject({ agent: z.string().optional(), tier: Tier.optional(), labels: Labels.optional() }))
    .default({})
    .describe('Agent (as for --agent), tier, and labels that its tasks require of a host, of a role.'),
  tools: ToolsConfig,
  mcp: z.record(Name, McpServer).default({}).describe('MCP servers available to agents.'),
  instructions: InsidePath.optional().describe(
    'A file of instructions for every agent; the role takes precedence over it.',
  ),
  trust: z
    .record(InsidePath, z.string().regex(/^[0-9a-f]{64}$/))
    .default({})
    .describe(
      'Files of the repository that may decide which programs run, each with its SHA-256: settings that agents may load, .git/config, whose filters git runs only then, and .manyhands/config.yaml, whose network.allow counts only then (and only from your own settings).',
    ),
  criticalPatterns: CriticalPatterns,
  checks: z
    .array(CheckConfig)
    .default([])
    .describe('Commands that must exit 0 on the merged tree before anything lands.'),
  guards: GuardsConfig,
  scope: ScopeConfig,
  policy: PolicyConfig,
  approve: ApproveConfig,
  assistant: AssistantConfig,
  sandbox: SandboxMode,
  sandboxPaths: SandboxPaths,
  network: NetworkConfig,
  secrets: SecretsConfig,
  syntax: SyntaxConfig,
  cleanOutput: z
    .boolean()
    .default(false)
    .describe('Reject attempts whose output ends with an error, such as a traceback.'),
  project: ProjectConfig,
  health: HealthThresholds.prefault({}).describe('Thresholds for warnings about an attempt.'),
  hosts: HostsConfig,
  labels: Labels.default([]).describe(
    'Labels that a host must have to perform the tasks and checks of this project. Without hosts they mean nothing.',
  ),
  risks: z
    .partialRecord(RiskName, RiskPolicy)
    .default({})
    .describe('For each risk: off, warn (default), or block: hold the work for a person.'),
  baseRed: z
    .enum(['ask', 'repair', 'block', 'known'])
    .default('ask')
    .describe(
      'What to do when a check fails on the base, before any work. ask: a job or a goal gets the output as part of its task, a run of many tasks is held for a decision; repair: the first task repairs the base (a job gets the output); block: every run is held; known: the tests that fail on the base may keep failing, new failures block.',
    ),
  limits: LimitsConfig,
  resources: ResourcesConfig,
  budget: BudgetConfig,
  smallCalls: SmallCallsConfig,
  workspace: WorkspaceConfig,
  ports: PortsConfig,
  git: GitConfig,
  land: LandMode.optional().describe(
    'branch: leave mh/<run> (the default, except for features); merge: fast-forward the base; pr: open a pull request.',
  ),
  pr: PrConfig,
  ...TODO_SETTINGS,
  review: ReviewConfig,
  tracks: TracksConfig,
  server: ServerConfig,
  backup: BackupConfig,
  errors: ErrorsConfig,
  integrations: IntegrationsConfig,
  notify: NotifyConfig,
  verify: VerifyConfig,
  progress: InsidePath.optional().describe(
    'A file that each task reads at its start and each landing appends a line to.',
  ),
  $schema: z.string().optional().describe('Where the JSON Schema of this file is, for editors.'),
});
export type Config = z.infer<typeof Config>;

function isPattern(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    // Exactly this question.
    return false;
  }
}
