import { z } from 'zod';
import { RunStatus } from './document.ts';
import { Verdict } from './gate.ts';

/** What is asked of a run before its result counts as accepted. */
export const Criterion = z.enum(['finished', 'branch', 'evidence', 'scope', 'secrets', 'risks', 'tests']);
export type Criterion = z.infer<typeof Criterion>;

/** What is known of one check: `current` is about the result as it stands now, `stale` about another tree. */
export const EvidenceStatus = z.object({
  gate: z.string(),
  standing: z.enum(['current', 'stale', 'missing']),
  verdict: Verdict.nullable(),
  tree: z.string().nullable(),
  summary: z.string(),
});
export type EvidenceStatus = z.infer<typeof EvidenceStatus>;

/** What `verify` prints with --json. */
export const Acceptance = z.object({
  run: z.string(),
  title: z.string(),
  status: RunStatus,
  acceptance: z.enum(['verified', 'blocked']),
  commit: z.string().nullable().describe('The commit that was looked at.'),
  tree: z.string().nullable().describe('Its tree: what evidence is bound to.'),
  criteria: z.array(z.object({ criterion: Criterion, verdict: z.enum(['pass', 'warn', 'fail']), reason: z.string() })),
  evidence: z.array(EvidenceStatus),
  reasons: z.array(z.string()).describe('Why it is blocked, a sentence each.'),
});
export type Acceptance = z.infer<typeof Acceptance>;

/** `revise`: agents can mend it. `block`: a person must decide. */
export const Decision = z.enum(['approve', 'revise', 'block']);
export type Decision = z.infer<typeof Decision>;

/** What the judge role hands over. */
export const Opinion = z.object({
  decision: Decision,
  reasons: z.array(z.string().trim().min(1)).min(1).max(50),
  missing: z.array(z.string().trim().min(1)).max(50).default([]),
});
export type Opinion = z.infer<typeof Opinion>;

/** What `judge` prints with --json: never above what the rules allow. */
export const Judgement = z.object({
  run: z.string(),
  title: z.string(),
  decision: Decision,
  reasons: z.array(z.string()),
  missing: z.array(z.string()),
  evidence: z.array(EvidenceStatus),
  voices: z.array(
    z.object({
      by: z.string().describe('rules, or the agent that was asked.'),
      run: z.string().nullable().describe('The run in which the agent was asked.'),
      decision: Decision,
      reasons: z.array(z.string()),
      missing: z.array(z.string()),
    }),
  ),
});
export type Judgement = z.infer<typeof Judgement>;
