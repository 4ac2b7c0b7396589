import { z } from 'zod';
import { refuseCall } from '../../core/run/decide-run.ts';
import { RunId } from '../../schema/ids.ts';
import { attemptOfToken, loadToolKey, ToolToken } from '../../store/credentials/tool-tokens.ts';
import { operation } from '../operation.ts';

/** Records in its run that a request with the token of an attempt, or of one of its programs, was refused. */
export const recordRefusal = operation({
  name: 'record-refusal',
  where: 'living-engine',
  summary: 'Record that a request of an attempt was refused',
  http: { unreachable: 'The server calls it when it refuses a request.' },
  allow: ['operator'],
  tool: { none: 'The server calls it when it refuses a request.' },
  input: z.object({
    what: z.string().max(200).describe('What was requested.'),
    by: z.union([z.object({ token: ToolToken }), z.object({ attempt: z.string() })]),
  }),
  output: z.object({ recorded: z.boolean() }),
  run: async (app, { what, by }) => {
    const attempt =
      'attempt' in by
        ? by.attempt
        : attemptOfToken(await loadToolKey({ root: app.home.root, world: app.world }), by.token);
    const run = RunId.safeParse(attempt?.split('-', 1)[0]);
    if (attempt === undefined || !run.success || app.control === undefined) return { recorded: false };
    const origin = { actor: { kind: 'agent' as const, attempt }, via: 'http' as const };
    await app.control.record(run.data, (state) => refuseCall(state, what), origin);
    return { recorded: true };
  },
});
