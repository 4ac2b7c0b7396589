import { z } from 'zod';
import { judgementOf, type RequestedOpinion } from '../../core/finish/judgement.ts';
import { lastAttempt, type RunState } from '../../core/run/state.ts';
import { AppError } from '../../errors.ts';
import { Judgement, Opinion } from '../../schema/acceptance.ts';
import { completeId, findRun, RunRef } from '../find-run.ts';
import { operation } from '../operation.ts';
import { JUDGE_TASK, judgeTitle } from './ask-judge.ts';
import { examineResult } from './examine-result.ts';

/** Judges a run by rules; opinions of agents can only make the verdict stricter. */
export const judgeRun = operation({
  name: 'judge-run',
  where: 'anywhere',
  summary: 'Judge a run: approve, revise or block',
  http: 'GET /api/runs/{run}/judgement',
  allow: ['guest', 'viewer', 'operator'],
  input: z.object({
    ...RunRef,
    opinions: z.array(z.string()).default([]).describe('Runs of judges about this run.'),
  }),
  output: Judgement,
  otherRuns: ({ opinions }) => (Array.isArray(opinions) ? opinions : []),
  run: async (app, { opinions, ...ref }) => {
    const state = await findRun(app, ref);
    const { acceptance } = await examineResult(app, state);
    const requested = opinions.map((id) => opinionIn(state, app.runs.state(completeId(app, id))));
    return judgementOf(state, acceptance, requested);
  },
});

/** The recorded answer of a judge; without one, a person decides. */
function opinionIn(judged: RunState, judging: RunState): RequestedOpinion {
  const { run, title, base } = judging.start;
  const task = judging.tasks[JUDGE_TASK];
  if (task?.spec.role !== 'judge' || title !== judgeTitle(judged) || base.commit !== judged.tip.commit) {
    throw new AppError('INPUT_INVALID', `Run ${run} is not a judgement of the result of ${judged.start.run}`, {
      run,
    });
  }
  const by = lastAttempt(task)?.agent ?? 'agent';
  const opinion = Opinion.safeParse(task.phase.status === 'done' ? lastAttempt(task)?.ended?.output : undefined);
  if (opinion.success) return { by, run, opinion: opinion.data };
  const reason = 'reason' in task.phase ? task.phase.reason : `its task is ${task.phase.status}`;
  return {
    by,
    run,
    opinion: {
      decision: 'block',
      reasons: [`the judge gave no usable answer: ${reason}`],
      missing: ['the opinion of the judge'],
    },
  };
}
