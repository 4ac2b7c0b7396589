import { z } from 'zod';
import { decidePolicy, refusalText } from '../../core/policy/decide-policy.ts';
import { kindOfTool } from '../../core/policy/tool-request.ts';
import { PolicyDecision } from '../../schema/config/policy.ts';
import { projectOf } from '../find-run.ts';
import { operation } from '../operation.ts';
import { effectivePolicy } from './effective-policy.ts';

/** Says what would happen if an agent did something, and which rule decides; nothing is done. */
export const checkPolicy = operation({
  name: 'check-policy',
  where: 'anywhere',
  summary: 'Say what the rules decide about something that an agent might do',
  http: 'GET /api/policy/check',
  allow: ['viewer', 'operator'],
  input: z.object({
    dir: z.string(),
    role: z.string().default('implement'),
    tool: z.string().default('Bash'),
    command: z.string().optional(),
    path: z.string().optional(),
    host: z.string().optional(),
  }),
  output: z.object({
    decision: PolicyDecision,
    subject: z.string().describe('What was decided about: of several commands the one that is decided most strictly.'),
    rule: z.string().nullable().describe('The rule that decides: its setting, file and line; null if no rule applies.'),
    reason: z.string().nullable(),
    happens: z.string().describe('What would happen.'),
  }),
  run: async (app, { dir, role, tool, command, path, host }) => {
    const { root } = await projectOf(app, dir);
    const { lists } = await effectivePolicy(app.env, root, role);
    const request = {
      role,
      tool,
      kind: kindOfTool(tool),
      ...(command === undefined ? {} : { command }),
      ...(path === undefined ? {} : { paths: [path] }),
      ...(host === undefined ? {} : { host }),
    };
    const decided = decidePolicy(lists, request);
    const { decision, subject, rule } = decided;
    return {
      decision,
      subject,
      rule: rule?.source ?? null,
      reason: rule?.reason ?? null,
      happens: decision === 'allow' ? 'The agent may do it.' : HAPPENS[decision](refusalText(decided)),
    };
  },
});

const HAPPENS = {
  ask: () => 'The agent is refused, its task is held for a person, and continues in the same session when they answer.',
  deny: (text: string) => `The agent is refused: ${text}`,
};
