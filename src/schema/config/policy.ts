import { z } from 'zod';

/** From the loosest to the strictest. */
export const PolicyDecision = z.enum(['allow', 'ask', 'deny']);
export type PolicyDecision = z.infer<typeof PolicyDecision>;

const Pattern = z
  .string()
  .min(1)
  .max(1_000)
  .refine((text) => !/[\0\n]/.test(text), 'must be one line');

/** One pattern, or a list of which one must match. */
const Patterns = z.union([Pattern, z.array(Pattern).min(1)]);

/** A rule about what agents may do. */
export const PolicyRule = z
  .strictObject({
    decision: PolicyDecision.describe('ask: the work is held for a person.'),
    tool: Patterns.optional().describe(
      'Read, Edit, Bash, WebFetch, or the name of a tool as its agent calls it; * is any text.',
    ),
    path: Patterns.optional().describe(
      'Globs over paths of the repository, as in scope; absolute ones for other files.',
    ),
    command: Patterns.optional().describe('The first words of a shell command, or a pattern in which * is any text.'),
    host: Patterns.optional().describe('Host names; *.example.org is every host below it.'),
    role: Patterns.optional().describe('The roles of tasks that it applies to; default: all.'),
    reason: z.string().max(1_000).optional().describe('Shown to the agent and to the person who decides.'),
    source: z.string().optional().describe('Set by Manyhands: the file and line it comes from.'),
    from: z.enum(['global', 'project']).optional().describe('Set by Manyhands: whose settings it comes from.'),
  })
  .refine(
    ({ tool, path, command, host, role }) => [tool, path, command, host, role].some((each) => each !== undefined),
    'must name a tool, path, command, host or role',
  );
export type PolicyRule = z.infer<typeof PolicyRule>;

/** The rules of a person and of a project; each list by itself, the first that applies. */
export const PolicyConfig = z
  .array(PolicyRule)
  .default([])
  .describe(
    'Rules about what agents may do: allow, ask or deny by tool, path, command, host and role; the first that applies decides. The rules of a project count besides your own: they can forbid more, and allow nothing that yours refuse.',
  );
