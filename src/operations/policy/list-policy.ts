import { z } from 'zod';
import { PolicyDecision } from '../../schema/config/policy.ts';
import { projectOf } from '../find-run.ts';
import { operation } from '../operation.ts';
import { effectivePolicy } from './effective-policy.ts';

const Patterns = z.array(z.string()).nullable();

/** Lists the rules for a role in the order in which they are tried, with where each comes from. */
export const listPolicy = operation({
  name: 'list-policy',
  where: 'anywhere',
  summary: 'List the rules about what agents of a role may do',
  http: 'GET /api/policy',
  allow: ['viewer', 'operator'],
  input: z.object({ dir: z.string(), role: z.string().default('implement') }),
  output: z.object({
    role: z.string(),
    lists: z
      .array(
        z.array(
          z.object({
            decision: PolicyDecision,
            tool: Patterns,
            path: Patterns,
            command: Patterns,
            host: Patterns,
            reason: z.string().nullable(),
            source: z.string(),
          }),
        ),
      )
      .describe('In each list the first rule that applies decides; of the lists the strictest decision counts.'),
    ignored: z
      .array(z.object({ key: z.string(), reason: z.string() }))
      .describe("Settings of the project's file that have no effect, because only your own may loosen them."),
  }),
  run: async (app, { dir, role }) => {
    const { root } = await projectOf(app, dir);
    const { lists, ignored } = await effectivePolicy(app.env, root, role);
    const shown = lists.map((rules) =>
      rules
        .filter((rule) => rule.role === undefined || rule.role.includes(role))
        .map(({ decision, tool, path, command, host, reason, source }) => ({
          decision,
          tool: copyOf(tool),
          path: copyOf(path),
          command: copyOf(command),
          host: copyOf(host),
          reason: reason ?? null,
          source,
        })),
    );
    return { role, lists: shown.filter((rules) => rules.length > 0), ignored };
  },
});

function copyOf(patterns: readonly string[] | undefined): string[] | null {
  return patterns === undefined ? null : [...patterns];
}
