import { z } from 'zod';
import { RunStatus } from './document.ts';
import { Verdict } from './gate.ts';
import { RiskSeverity } from './risk.ts';

/** The checks that a run must pass before its result is accepted. */
export const Criterion = z.enum(['finished', 'branch', 'evidence', 'scope', 'secrets', 'risks', 'tests']);
export type Criterion = z.infer<typeof Criterion>;

/** The evidence of one check: `current` belongs to the current tree of the result, `stale` to another tree. */
export const EvidenceStatus = z.object({
  gate: z.string(),
  standing: z.enum(['current', 'stale', 'missing']),
  verdict: Verdict.nullable(),
  tree: z.string().nullable(),
  summary: z.string(),
});
export type EvidenceStatus = z.infer<typeof EvidenceStatus>;

/** Something about the result of a run that a person should know. */
export const Finding = z.object({
  task: z.string().nullable(),
  finding: z.string().describe('The name of the risk, of the trait of the files, or of the warning.'),
  severity: RiskSeverity,
  detail: z.string(),
  files: z.array(z.string()),
  approved: z.boolean().describe('Whether a person approved it before it landed.'),
});
export type Finding = z.infer<typeof Finding>;

/** What `verify` prints with --json. */
export const Acceptance = z.object({
  run: z.string(),
  title: z.string(),
  status: RunStatus,
  acceptance: z.enum(['verified', 'blocked']),
  commit: z.string().nullable().describe('The commit that was verified.'),
  tree: z.string().nullable().describe('The tree of that commit; evidence is bound to it.'),
  criteria: z.array(z.object({ criterion: Criterion, verdict: z.enum(['pass', 'warn', 'fail']), reason: z.string() })),
  evidence: z.array(EvidenceStatus),
  findings: z.array(Finding).describe('What a person should know, the most severe first.'),
  reasons: z.array(z.string()).describe('Why it is blocked, one sentence per reason.'),
});
export type Acceptance = z.infer<typeof Acceptance>;

/** `revise`: agents can fix it. `block`: a person must decide. */
export const Decision = z.enum(['approve', 'revise', 'block']);
export type Decision = z.infer<typeof Decision>;

/** The structured output of the judge role. */
export const Opinion = z.object({
  decision: Decision,
  reasons: z.array(z.string().trim().min(1)).min(1).max(50),
  missing: z.array(z.string().trim().min(1)).max(50).default([]),
});
export type Opinion = z.infer<typeof Opinion>;

/** What `judge` prints with --json; its verdict is never better than the rules allow. */
export const Judgement = z.object({
  run: z.string(),
  title: z.string(),
  decision: Decision,
  reasons: z.array(z.string()),
  missing: z.array(z.string()),
  evidence: z.array(EvidenceStatus),
  voices: z.array(
    z.object({
      by: z.string().describe('rules, or the agent that judged.'),
      run: z.string().nullable().describe('The run in which the agent judged.'),
      decision: Decision,
      reasons: z.array(z.string()),
      missing: z.array(z.string()),
    }),
  ),
});
export type Judgement = z.infer<typeof Judgement>;
