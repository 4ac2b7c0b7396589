import type { RunState, TaskState } from '../../core/run/state.ts';
import type { CycleInput } from '../../schema/request.ts';
import { hasReturned } from '../findings.ts';
import { outOf } from '../out-of-limits.ts';
import {
  type Cycle,
  type CycleProgress,
  countTicks,
  isComplete,
  verificationOf,
  verificationSteps,
} from './cycle-progress.ts';

/** What follows once nothing of the run is open. */
export type CycleStep =
  | { do: 'implement'; cycle: number; report: string }
  | { do: 'review'; cycle: Cycle }
  | { do: 'verify'; cycle: Cycle; steps: string[] }
  | { do: 'replan'; why: string }
  | { do: 'ask'; why: string; subject: string; canContinue: boolean }
  | { do: 'end'; why: string; isComplete: boolean };

/** Cycles in a row without a tick or a landed change. */
const IDLE_CYCLES = 2;
/** The mean of the ticks of so many cycles must not be below this. */
const WINDOW = 3;
const LEAST_TICKS = 0.3;
const REPLANS = 1;
const MOST_CYCLES = 50;

/** The next step of a run: the next half of a cycle, its verification, another plan, a question to a person, or the end. */
export function nextCycleStep(run: RunState, progress: CycleProgress, input: CycleInput): CycleStep {
  const last = progress.cycles.at(-1);
  const out = last === undefined ? undefined : outOf([last.implement, last.review, last.verify]);
  const reached = `${countTicks(progress.milestones)} of ${progress.milestones.length} milestones reached`;
  const complete = isComplete(progress, input);
  if (out !== undefined && !complete) return { do: 'end', why: `${reached}; ${out}`, isComplete: false };
  if (last === undefined || last.generation < progress.plan.generation)
    return { do: 'implement', cycle: (last?.number ?? 0) + 1, report: '' };
  if (last.landed && last.review === undefined) return { do: 'review', cycle: last };
  if (complete) return afterCompletion(run, progress, input, last);
  return afterCycle(run, progress, input, { last, reached, report: '' });
}

/** The whole result is verified, if there are steps for it; what fails there is the subject of another cycle. */
function afterCompletion(run: RunState, progress: CycleProgress, input: CycleInput, last: Cycle): CycleStep {
  const reached = `${countTicks(progress.milestones)} of ${progress.milestones.length} milestones reached`;
  const steps = verificationSteps(progress, input);
  if (steps.length === 0) return { do: 'end', why: reached, isComplete: true };
  if (last.verify === undefined) return { do: 'verify', cycle: last, steps };
  const verdict = verificationOf(last, steps);
  if (verdict?.passed) return { do: 'end', why: `${reached} and verified`, isComplete: true };
  const out = outOf([last.verify]);
  if (verdict === undefined)
    return { do: 'end', why: `${reached}, not verified: ${out ?? reasonOf(last.verify)}`, isComplete: false };
  const { maxAttempts } = run.start.config.verify;
  const failed = progress.cycles.filter(({ verify }) => verify !== undefined).length;
  if (failed < maxAttempts) return afterCycle(run, progress, input, { last, reached, report: verdict.report });
  const why = `${reached}, but ${failed} verifications failed. The last one: ${verdict.report}`;
  return ask(run, progress, input, why);
}

function afterCycle(
  run: RunState,
  progress: CycleProgress,
  input: CycleInput,
  { last, reached, report }: { last: Cycle; reached: string; report: string },
): CycleStep {
  const stalled = report === '' ? stalledBecause(run, progress) : undefined;
  if (stalled !== undefined) {
    const why = `${reached}; ${stalled}`;
    const isAnswered = run.answers.some(({ subject }) => subject === `cycle/${last.number}`);
    return !isAnswered && progress.plans.length <= REPLANS + rejections(run)
      ? { do: 'replan', why }
      : ask(run, progress, input, why);
  }
  const most = cyclesAllowed(run, input);
  if (last.number >= most)
    return ask(run, progress, input, `${reached}; ${most === 1 ? 'its one cycle is' : `all ${most} cycles are`} used`);
  return { do: 'implement', cycle: last.number + 1, report };
}

/** Why another cycle of the same kind is not worth it, if so; what happened before the last decision of a person does not count. */
function stalledBecause(run: RunState, { cycles, plan }: CycleProgress): string | undefined {
  const since = lastContinued(run);
  const recent = cycles.filter(({ number, generation }) => generation === plan.generation && number > since);
  const idle = recent.slice(-IDLE_CYCLES);
  if (idle.length === IDLE_CYCLES && idle.every(({ ticks, landed }) => ticks <= 0 && !landed))
    return `${IDLE_CYCLES} cycles in a row landed nothing and reached no milestone`;
  if (hasReturned(recent.map(({ findings }) => findings))) return 'a finding that was fixed has returned';
  const window = recent.slice(-WINDOW);
  const mean = window.reduce((sum, { ticks }) => sum + ticks, 0) / WINDOW;
  if (window.length < WINDOW || mean >= LEAST_TICKS) return undefined;
  return `the last ${WINDOW} cycles reached ${mean.toFixed(1)} milestones on average`;
}

/** A person decides: continue, end with what is there, or (by a rejection with a reason) plan again. */
function ask(run: RunState, { cycles }: CycleProgress, input: CycleInput, why: string): CycleStep {
  const done = cycles.length;
  const subject = `cycle/${done}`;
  const answer = run.answers.findLast(({ subject: about }) => about === subject);
  if (answer?.option === 'replan')
    return { do: 'replan', why: `${why}; a person wrote: ${answer.note ?? 'plan again'}` };
  if (answer?.option === 'finish') return { do: 'end', why: `${why}; ended by a person`, isComplete: false };
  const canContinue = done < MOST_CYCLES && cyclesAllowed(run, input) <= MOST_CYCLES;
  if (answer?.option === 'continue' && canContinue) return { do: 'implement', cycle: done + 1, report: '' };
  return { do: 'ask', why, subject, canContinue: done < MOST_CYCLES };
}

/** The requested number of cycles, and as many again each time that a person decided to continue. */
function cyclesAllowed(run: RunState, { cycles }: CycleInput): number {
  const requested = Math.min(cycles, run.start.maxIterations ?? cycles);
  const last = lastContinued(run);
  return Math.min(MOST_CYCLES, last === 0 ? requested : last + requested);
}

/** The number of the cycle after which a person last decided to continue. */
function lastContinued(run: RunState): number {
  const answer = run.answers.findLast(({ option }) => option === 'continue');
  return Number(answer?.subject?.split('/')[1] ?? 0);
}

/** How many of the plans a person requested. */
function rejections(run: RunState): number {
  return run.answers.filter(
    ({ what, choice, option }) => (what === 'plan' && choice === 'reject') || option === 'replan',
  ).length;
}

function reasonOf({ phase }: TaskState): string {
  return 'reason' in phase ? phase.reason : phase.status;
}
