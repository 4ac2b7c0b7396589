import { z } from 'zod';
import { PolicyDecision } from '../../schema/config/policy.ts';

const Patterns = z.array(z.string()).optional();

const Rules = z.array(
  z.object({
    decision: PolicyDecision,
    tool: Patterns,
    path: Patterns,
    command: Patterns,
    host: Patterns,
    role: Patterns,
    reason: z.string().optional(),
    source: z.string(),
  }),
);

/** The rules of one attempt, as its agent's program and its hook get them in a file. */
export const AttemptRules = z.object({
  /** Which files of the repository may be changed; all scopes apply. */
  scopes: z
    .array(z.object({ allow: z.array(z.string()), deny: z.array(z.string()), also: z.array(z.string()) }))
    .optional(),
  /** The rules of the person and of the project, and what a person has approved for this task. */
  policy: z.object({ role: z.string(), person: Rules, project: Rules, granted: z.array(z.string()) }).optional(),
});
export type AttemptRules = z.infer<typeof AttemptRules>;
