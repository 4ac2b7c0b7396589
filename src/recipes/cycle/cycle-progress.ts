import { isShownBy, judgeSteps, resultsOf } from '../../core/land/steps.ts';
import { lastAttempt, type RunState, type TaskState } from '../../core/run/state.ts';
import { chargeOf, roundMoney } from '../../core/schedule/budget.ts';
import { type CyclePlan, MilestonesOutput } from '../../schema/output.ts';
import type { ProgressDocument } from '../../schema/progress.ts';
import type { CycleInput } from '../../schema/request.ts';
import type { Finding } from '../findings.ts';
import { type MadePlan, milestoneGate, plansOf, planWarnings } from './cycle-plan.ts';

/** Who found that a milestone is reached, in which cycle, and on what evidence. */
type Tick = { by: 'check' | 'review'; cycle: number; evidence: string };

export type Milestone = CyclePlan['milestones'][number] & { id: string; tick: Tick | null };

/** One cycle: what its implementer landed, what its reviewer found, and how many more milestones were reached after it. */
export type Cycle = {
  number: number;
  generation: number;
  implement: TaskState;
  review: TaskState | undefined;
  verify: TaskState | undefined;
  ticks: number;
  landed: boolean;
  findings: (Finding & { severity: string; description: string })[];
};

export type CycleProgress = { plan: MadePlan; plans: MadePlan[]; milestones: Milestone[]; cycles: Cycle[] };

/** What a run has reached: derived from landed work, checks on the merged tree and reviews, never from what an implementer says. */
export function cycleProgress(run: RunState): CycleProgress | undefined {
  const plans = plansOf(run);
  const plan = plans.at(-1);
  if (plan === undefined) return undefined;
  const cycles: Cycle[] = [];
  const milestones = new Map<number, Milestone[]>();
  for (let number = 1; ; number += 1) {
    const implement = run.tasks[`cycle/${number}/implement`];
    if (implement === undefined) break;
    const made = plans.findLast(({ ordinal }) => ordinal < implement.ordinal) ?? plan;
    const before = milestones.get(made.generation) ?? openMilestones(made.plan);
    const cycle = cycleOf(run, { number, generation: made.generation, implement });
    const after = tickedAfter(cycle, before);
    milestones.set(made.generation, after);
    cycles.push({ ...cycle, ticks: countTicks(after) - countTicks(before) });
  }
  return { plan, plans, milestones: milestones.get(plan.generation) ?? openMilestones(plan.plan), cycles };
}

function openMilestones({ milestones }: CyclePlan): Milestone[] {
  return milestones.map((milestone, index) => ({ ...milestone, id: `M${index + 1}`, tick: null }));
}

function cycleOf(run: RunState, known: Pick<Cycle, 'number' | 'generation' | 'implement'>): Cycle {
  const { phase } = known.implement;
  const review = run.tasks[`cycle/${known.number}/review`];
  return {
    ...known,
    review,
    verify: run.tasks[`cycle/${known.number}/verify`],
    ticks: 0,
    landed: phase.status === 'done' && phase.commit !== null,
    findings: reviewOf(review)?.findings ?? [],
  };
}

/**
 * The milestones after a cycle. A milestone is reached when the reviewer shows it, and one with a check only if the check
 * passed on the merged tree too. The check alone is not enough: the implementer may have written what it runs.
 */
function tickedAfter(cycle: Cycle, before: readonly Milestone[]): Milestone[] {
  if (!cycle.landed) return [...before];
  const results = resultsOf(reviewOf(cycle.review)?.steps ?? []);
  return before.map((milestone, index) => {
    const found = results.get(index + 1);
    const check = cycle.implement.evidence.find(({ gate }) => gate === milestoneGate(milestone.id));
    if (milestone.check !== undefined && check?.verdict !== 'pass') return { ...milestone, tick: null };
    if (found?.result === 'fail') return { ...milestone, tick: null };
    if (milestone.tick !== null) return milestone;
    if (found?.result !== 'pass' || !isShownBy(found.note)) return milestone;
    return {
      ...milestone,
      tick:
        check === undefined || milestone.check === undefined
          ? { by: 'review', cycle: cycle.number, evidence: found.note }
          : { by: 'check', cycle: cycle.number, evidence: check.summary },
    };
  });
}

/** The answer of a reviewer that has ended. */
function reviewOf(review: TaskState | undefined): MilestonesOutput | undefined {
  if (review?.phase.status !== 'done') return undefined;
  return MilestonesOutput.safeParse(lastAttempt(review)?.ended?.output).data;
}

export function countTicks(milestones: readonly Milestone[]): number {
  return milestones.filter(({ tick }) => tick !== null).length;
}

/** Whether enough milestones are reached. */
export function isComplete({ milestones }: CycleProgress, { threshold }: CycleInput): boolean {
  return countTicks(milestones) >= Math.ceil(threshold * milestones.length - 1e-9);
}

/** The steps by which the whole result is verified: those of the request, else those of the plan. */
export function verificationSteps({ plan }: CycleProgress, input: CycleInput): string[] {
  return input.steps.length > 0 ? input.steps : plan.plan.verify;
}

/** The result of the verification after a cycle; undefined while it has not ended. */
export function verificationOf({ verify }: Cycle, steps: readonly string[]): ReturnType<typeof judgeSteps> | undefined {
  if (verify?.phase.status !== 'done') return undefined;
  return judgeSteps(lastAttempt(verify)?.ended?.output, steps);
}

/** The progress as `show`, the report and the dashboard present it. */
export function cycleDocument(progress: CycleProgress | undefined, stop: string | null): ProgressDocument | undefined {
  if (progress === undefined) return undefined;
  const { plan, plans, milestones, cycles } = progress;
  return {
    unit: 'cycle',
    plan: plan.generation,
    points: milestones.map(({ id, title, tick }) => ({
      id,
      title,
      status: tick === null ? 'open' : 'done',
      by: tick?.by ?? null,
      round: tick?.cycle ?? null,
      evidence: tick?.evidence ?? null,
    })),
    rounds: cycles.map((cycle) => ({
      round: cycle.number,
      plan: cycle.generation,
      done: cycle.ticks,
      landed: cycle.landed,
      findings: cycle.findings.length,
      cost: costOf([cycle.implement, cycle.review, cycle.verify]),
    })),
    warnings: plans.flatMap((made) => planWarnings(made.plan)),
    stop,
  };
}

function costOf(tasks: readonly (TaskState | undefined)[]): number {
  const attempts = tasks.flatMap((task) => task?.attempts ?? []).filter(({ ended }) => ended !== null);
  return roundMoney(attempts.reduce((sum, { usage, reservation }) => sum + chargeOf(usage, reservation).costUsd, 0));
}
