import { isShownBy } from '../../core/land/steps.ts';
import { rejectionOf } from '../../core/run/holds.ts';
import { openTasks, type RunState } from '../../core/run/state.ts';
import { MilestonesOutput } from '../../schema/output.ts';
import { CycleInput } from '../../schema/request.ts';
import { requiringGreenBase } from '../base-red.ts';
import type { Recipe, RecipeOutline, Unfolding } from '../recipe.ts';
import { oneLine } from '../task-spec.ts';
import { newestPlanTask, planKey, refuseCyclePlan } from './cycle-plan.ts';
import { type CycleProgress, cycleDocument, cycleProgress } from './cycle-progress.ts';
import { assessTask, implementTask, replanTask, reviewTask, verifyTask } from './cycle-tasks.ts';
import { nextCycleStep } from './next-cycle-step.ts';

const NOTHING_NEW: Unfolding = { add: [] };

/** A goal becomes milestones; implementers and reviewers alternate until the milestones are reached, or it is not worth more. */
export const cycle: Recipe<CycleInput> = requiringGreenBase({
  name: 'cycle',
  version: 1,
  input: CycleInput,
  form: {
    title: 'Cycle',
    summary: 'Work on a goal in cycles of implement and review until its milestones are reached.',
    file: false,
    command: {
      name: 'cycle',
      text: 'goal',
      flags: { cycles: '--cycles {}', threshold: '--threshold {}', steps: '--step {}', planOnly: '--plan-only' },
    },
  },
  title: (input) => oneLine(input.goal),
  accept: (task, output) => {
    if (task.spec.role === 'assess') return refuseCyclePlan(output);
    return task.spec.role === 'milestones' ? refuseReview(output) : undefined;
  },
  unfold: (run, input) => (openTasks(run) > 0 ? NOTHING_NEW : nextTasks(run, input)),
  shortfall: (run, input) => shortfallOf(run, input),
  progress: (run, input) => {
    const progress = cycleProgress(run);
    return cycleDocument(progress, progress === undefined ? null : stopOf(run, progress, input));
  },
  outline,
});

function nextTasks(run: RunState, input: CycleInput): Unfolding {
  const newest = newestPlanTask(run);
  if (newest === undefined) return { add: [assessTask(run, input)] };
  const progress = cycleProgress(run);
  if (newest.phase.status !== 'done' || progress === undefined) return NOTHING_NEW;
  const { plan, cycles } = progress;
  const isNew = (cycles.at(-1)?.generation ?? 0) < plan.generation;
  const rejection = rejectionOf(run, 'plan', plan.key);
  if (isNew && rejection !== undefined)
    return {
      add: [
        replanTask(run, progress, { key: planKey(plan.generation + 1), input, why: `a person wrote: ${rejection}` }),
      ],
    };
  if (isNew && input.planOnly && !plan.isRead) return { add: [], hold: planHold(progress, input) };
  const step = nextCycleStep(run, progress, input);
  switch (step.do) {
    case 'implement':
      return { add: [implementTask(run, progress, step)] };
    case 'review':
      return { add: [reviewTask(run, progress, step.cycle)] };
    case 'verify':
      return { add: [verifyTask(run, input, step)] };
    case 'replan':
      return { add: [replanTask(run, progress, { key: planKey(plan.generation + 1), input, why: step.why })] };
    case 'ask':
      return { add: [], hold: stopHold(step) };
    case 'end':
      return NOTHING_NEW;
  }
}

function planHold({ plan }: CycleProgress, input: CycleInput): NonNullable<Unfolding['hold']> {
  const { milestones, contract } = plan.plan;
  const listed = milestones.map(({ title, size, check }, index) => {
    const facts = [...(size === undefined ? [] : [size]), ...(check === undefined ? [] : [`check: ${check}`])];
    return `M${index + 1} ${title}${facts.length === 0 ? '' : ` (${facts.join('; ')})`}`;
  });
  const only = contract.allow.length === 0 ? '' : ` It may change only ${contract.allow.join(', ')}.`;
  const never = contract.deny.length === 0 ? '' : ` It may not change ${contract.deny.join(', ')}.`;
  const reason = `The plan has ${milestones.length} milestones: ${listed.join('; ')}.${only}${never} At most ${input.cycles} cycles; approve it to continue`;
  return { what: 'plan', reason, files: [], subject: plan.key };
}

function stopHold(step: { why: string; subject: string; canContinue: boolean }): NonNullable<Unfolding['hold']> {
  const options = [
    ...(step.canContinue ? [{ id: 'continue', label: 'continue with as many cycles again' }] : []),
    { id: 'replan', label: 'plan again; say in a note what should be different' },
    { id: 'finish', label: 'end with what has landed' },
  ];
  return { what: 'review', reason: step.why, files: [], subject: step.subject, options };
}

/** A claim without evidence is no review: the reviewer gets one more turn. */
function refuseReview(output: unknown): string | undefined {
  const review = MilestonesOutput.safeParse(output);
  if (!review.success)
    return review.error.issues.map(({ path, message }) => `${path.join('.') || 'the review'}: ${message}`).join('; ');
  const bare = review.data.steps.find(({ result, note }) => result === 'pass' && !isShownBy(note));
  return bare === undefined
    ? undefined
    : `STEP ${bare.step} is called reached without evidence; say what you ran and saw`;
}

function shortfallOf(run: RunState, input: CycleInput): string | undefined {
  const progress = cycleProgress(run);
  if (progress === undefined) return undefined;
  const step = nextCycleStep(run, progress, input);
  return step.do === 'end' && step.isComplete ? undefined : 'why' in step ? step.why : 'the milestones are not reached';
}

function stopOf(run: RunState, progress: CycleProgress, input: CycleInput): string | null {
  if (openTasks(run) > 0) return null;
  const step = nextCycleStep(run, progress, input);
  return step.do === 'end' || step.do === 'ask' ? step.why : null;
}

function outline(_config: unknown, { cycles, threshold, steps }: CycleInput, maxIterations?: number): RecipeOutline {
  const most = Math.min(cycles, maxIterations ?? cycles);
  return {
    phases: [
      { title: 'Assess the repository and plan milestones, at most twice', role: 'assess', most: 2 },
      { title: 'Implement, one task in each cycle', role: 'implement', most },
      { title: 'Review which milestones are reached, after each landed change', role: 'milestones', most },
      ...(steps.length === 0 ? [] : [{ title: 'Verify the whole result', role: 'verify', most: 3 }]),
    ],
    stops: [
      threshold === 1
        ? 'every milestone is reached and verified'
        : `${Math.round(threshold * 100)} % of the milestones are reached and verified`,
      'two cycles in a row land nothing and reach no milestone: it plans again once, then asks you',
      'three cycles reach fewer than 0.3 milestones on average, or a fixed finding returns: the same',
      `${most} cycles are used: it asks you`,
    ],
  };
}
