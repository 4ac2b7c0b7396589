import { join } from 'node:path';
import { z } from 'zod';
import { keepFinished } from '../../engine/attempt/finished-result.ts';
import { AppError } from '../../errors.ts';
import { judgeOutput } from '../../gates/handoff.ts';
import { attemptId } from '../../schema/ids.ts';
import { AttemptCaller } from '../attempt-caller.ts';
import { requireActive, requireTask } from '../find-run.ts';
import { operation } from '../operation.ts';
import { addReport } from './report-row.ts';

/** Takes the result of a task; whether the task is done is still decided by its gates. */
export const finishTask = operation({
  name: 'finish-task',
  where: 'engine',
  summary:
    'Hand in the result of your task, then end your turn. It is validated against what your role asks for; checks still decide whether the task is done',
  http: { unreachable: 'An agent calls it through the socket of its attempt.' },
  allow: ['attempt'],
  input: z.object({
    ...AttemptCaller,
    summary: z.string().trim().min(1).max(4_000).describe('What you did, in a few sentences.'),
    result: z.unknown().optional().describe('The structured result, where your role asks for one.'),
  }),
  output: z.object({ accepted: z.literal(true), instruction: z.string() }),
  run: async (app, { summary, result, ...caller }) => {
    const { run, task, attempt } = caller;
    const active = requireActive(app, run);
    const state = requireTask(app.runs.state(run), task);
    const outputSchema = state.spec.outputSchema ?? active.roles.get(state.spec.role)?.output;
    if (result !== undefined || outputSchema !== undefined) {
      const { verdict, summary: reason, output } = judgeOutput(result, outputSchema);
      if (verdict !== 'pass')
        throw new AppError('INPUT_INVALID', [reason, output].filter((text) => text !== undefined).join('\n'), { run });
    }
    const folder = join(app.home.attempts, attemptId(run, state.ordinal, attempt));
    await keepFinished(folder, { result, summary }, app.world);
    await addReport(app, caller, { kind: 'status', text: `finished: ${summary}` });
    return { accepted: true as const, instruction: 'End your turn now.' };
  },
});
