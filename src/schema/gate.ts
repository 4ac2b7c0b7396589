import { z } from 'zod';
import { Labels } from './config/hosts.ts';
import { ChangedLines, ScopeGlob } from './config/scope.ts';
import { SyntaxCheckers, Unchecked } from './config/syntax.ts';
import { RiskFlag } from './risk.ts';

const Command = z.union([z.string().min(1), z.array(z.string()).min(1)]);

/** What a command measures, and in which direction a task must move it: its exit, the last number that it prints, the tests that pass, or its duration. */
export const Measure = z.object({
  metric: z.enum(['exit', 'number', 'tests', 'duration']),
  better: z.enum(['lower', 'higher']),
});
export type Measure = z.infer<typeof Measure>;

/** A gate of a task. The text of a command that decides is from trusted config, a flag, or the base; one that an agent proposed only informs, until a person has read it. */
export const GateSpec = z.discriminatedUnion('gate', [
  z.object({ gate: z.literal('changed'), name: z.string().default('changed') }),
  z.object({
    gate: z.literal('command'),
    name: z.string(),
    run: Command,
    /** For a command with `{packages}` or `{changed}`: the one that runs before the base moves, if it is not the same with all of them. */
    full: Command.optional(),
    /** The command for the commit that a candidate is merged onto, where other packages or files exist there. */
    onBase: Command.optional(),
    timeoutMs: z.number().int().positive().default(600_000),
    /** It checks only this task's own files: it runs when the task lands, and not again when others do. */
    own: z.boolean().optional(),
    /** Its result is recorded on the candidate and decides nothing about the landing. */
    informs: z.boolean().optional(),
    /** It passes if what it measures is better on the candidate than on the branch; both are measured when the task lands. */
    measure: Measure.optional(),
    /** How often it is run again when it fails, before the failure counts; without it the run's limit applies. */
    rerun: z.number().int().min(0).max(5).optional(),
    /** Labels that a host must have to run it. */
    labels: Labels.optional(),
  }),
  z.object({ gate: z.literal('handoff'), name: z.string().default('handoff') }),
  z.object({
    gate: z.literal('scope'),
    name: z.string().default('scope'),
    /** The only files that may be changed; empty allows all. */
    allow: z.array(ScopeGlob).default([]),
    deny: z.array(ScopeGlob).default([]),
    /** Files that may be changed in addition to the allowed ones. */
    also: z.array(ScopeGlob).default([]),
    maxChangedLines: ChangedLines.optional(),
  }),
  z.object({
    gate: z.literal('secrets'),
    name: z.string().default('secrets'),
    /** Fingerprints of findings that a person marked as harmless. */
    allow: z.array(z.string()).default([]),
  }),
  z.object({
    gate: z.literal('syntax'),
    name: z.string().default('syntax'),
    /** Only these of the changed files; empty means all of them. */
    files: z.array(ScopeGlob).default([]),
    unchecked: Unchecked.default('pass'),
    checkers: SyntaxCheckers,
  }),
  z.object({
    gate: z.literal('patterns'),
    name: z.string().default('patterns'),
    /** Regular expressions; each must be found in one of the files. */
    require: z.array(z.string().min(1).max(1_000)).min(1).max(100),
    files: z.array(ScopeGlob).min(1),
  }),
  z.object({ gate: z.literal('clean-output'), name: z.string().default('clean-output') }),
]);
export type GateSpec = z.infer<typeof GateSpec>;

/** `held`: neither passed nor failed, a person decides. `error`: the gate itself could not run; never counts as passed. `not-applicable`: the change affects nothing that it checks. */
export const Verdict = z.enum(['pass', 'fail', 'held', 'error', 'not-applicable']);
export type Verdict = z.infer<typeof Verdict>;

const Count = z.number().int().nonnegative();

/** What the test runners of a check reported; a test that was skipped, ignored or expected to fail did not run. */
export const TestResults = z.object({
  ran: Count,
  passed: Count,
  failed: Count,
  skipped: Count,
  /** Each recognised runner; `reports` counts its summaries, `named`: its output names every test. */
  runners: z.array(
    z.object({ runner: z.string(), reports: Count, passed: Count, failed: Count, skipped: Count, named: z.boolean() }),
  ),
  /** Names of tests that failed, the first ones. */
  failures: z.array(z.string()),
  /** The hash of the stored list of all tests, where the output names them. */
  list: z.string().optional(),
});
export type TestResults = z.infer<typeof TestResults>;

/** One test as its runner named it. */
const TestCase = z.object({ name: z.string(), status: z.enum(['passed', 'failed', 'skipped']) });
export type TestCase = z.infer<typeof TestCase>;

/** The tests of a check by runner. */
export const TestList = z.record(z.string(), z.array(TestCase));
export type TestList = z.infer<typeof TestList>;

/** The result of a gate, bound to exactly one tree, gate definition and set-up. */
export const Evidence = z.object({
  gate: z.string(),
  verdict: Verdict,
  tree: z.string(),
  definition: z.string(),
  setup: z.string(),
  summary: z.string(),
  exitCode: z.number().int().nullable(),
  durationMs: z.number().nonnegative(),
  output: z.string().optional(),
  /** The command in shell syntax, if the check runs one. */
  command: z.string().optional(),
  /** How many lines the complete output has; `output` holds its first and last ones. */
  outputLines: z.number().int().nonnegative().optional(),
  /** The file with the complete output of a check that did not pass; `manyhands clean` removes it. */
  outputFile: z.string().optional(),
  reused: z.boolean().default(false),
  /** The host that ran the check; absent for the machine of the engine. */
  host: z.string().optional(),
  /** The work was invalidated afterwards. */
  stale: z.boolean().optional(),
  /** What the test runners of a command reported; absent in evidence of earlier versions. */
  tests: TestResults.optional(),
  /** What the command measured on the branch before the task, and with it; null where there was nothing to measure. */
  measured: z.object({ before: z.number().nullable(), after: z.number().nullable() }).optional(),
  /** What is risky about the work although the check passed, such as tests of the base that did not run. */
  flags: z.array(RiskFlag).optional(),
  /** The result of the same command on the commit that the candidate is merged onto, for a check of affected packages or files. */
  onBase: z
    .object({
      tree: z.string(),
      verdict: Verdict,
      summary: z.string(),
      command: z.string().optional(),
      tests: TestResults.optional(),
    })
    .optional(),
  /** The other results of the same check on the same tree, where it was run again because it failed. */
  reruns: z
    .array(
      z.object({
        verdict: Verdict,
        summary: z.string(),
        exitCode: z.number().int().nullable(),
        durationMs: z.number().nonnegative(),
        output: z.string().optional(),
        outputFile: z.string().optional(),
        failures: z.array(z.string()),
      }),
    )
    .optional(),
});
export type Evidence = z.infer<typeof Evidence>;
