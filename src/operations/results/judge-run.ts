import { judgementOf, type RequestedOpinion } from '../../core/finish/judgement.ts';
import { lastAttempt, type RunState } from '../../core/run/state.ts';
import { AppError } from '../../errors.ts';
import { Opinion } from '../../schema/acceptance.ts';
import { completeId, findRun } from '../find-run.ts';
import type { Operation } from '../operation.ts';
import { JUDGE_TASK, judgeTitle } from './ask-judge.ts';
import { examineResult } from './examine-result.ts';

/** Decides about a run by rules; opinions that were asked of agents may only withhold what the rules would grant. */
export const judgeRun: Operation<'judge-run'> = async (ports, input) => {
  const state = await findRun(ports, input);
  const { acceptance } = await examineResult(ports, state);
  const opinions = input.opinions.map((id) => opinionIn(state, ports.runs.state(completeId(ports, id))));
  return judgementOf(state, acceptance, opinions);
};

/** The answer of a judge as it is on record; one who was asked and gave none leaves the decision to a person. */
function opinionIn(judged: RunState, asked: RunState): RequestedOpinion {
  const { run, title, base } = asked.start;
  const task = asked.tasks[JUDGE_TASK];
  if (task?.spec.role !== 'judge' || title !== judgeTitle(judged) || base.commit !== judged.tip.commit) {
    throw new AppError('INPUT_INVALID', `Run ${run} did not ask a judge about the result of ${judged.start.run}`, {
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
