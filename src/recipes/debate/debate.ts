import { lastAttempt, openTasks, type RunState } from '../../core/run/state.ts';
import { promptText } from '../../roles/prompt.ts';
import { DebateInput } from '../../schema/request.ts';
import type { TaskSpec } from '../../schema/task.ts';
import { pointsDocument, pointsProgress, refusePoints } from '../points.ts';
import type { Recipe, RecipeOutline, Unfolding } from '../recipe.ts';
import { oneLine, taskSpec } from '../task-spec.ts';
import { type DebateOutcome, type DebatePlan, nextDebateStep, sideAgents } from './debate-rounds.ts';

const NOTHING_NEW: Unfolding = { add: [] };
const ROUNDS_OF_VERIFICATION = 3;
const OUTCOME_CHARS = 20_000;

/** Agents debate a question until they agree with evidence; what follows from it may be done, verified by another side. */
export const debate: Recipe<DebateInput> = {
  name: 'debate',
  version: 1,
  input: DebateInput,
  form: {
    title: 'Debate',
    summary: 'Let agents debate a question until they agree with evidence.',
    file: false,
    command: {
      name: 'debate',
      text: 'question',
      flags: { sides: '--sides {}', rounds: '--rounds {}', action: '--then {}', loops: '--loops {}' },
    },
  },
  title: (input) => oneLine(input.question),
  isReadOnly: ({ action }) => action === undefined,
  acceptsFolder: ({ action }) => action === undefined,
  accept: (task, output) => (task.spec.role === 'debate' ? refusePoints(output) : undefined),
  unfold: (run, input) => (openTasks(run) > 0 ? NOTHING_NEW : nextTasks(run, input)),
  shortfall: (run, input) => {
    if (input.action === undefined) return undefined;
    const { outcome, loop } = latestOutcome(run, input);
    return outcome === undefined || outcome.isAgreed
      ? undefined
      : `the sides did not agree in debate ${loop}, so nothing more was done`;
  },
  progress: (run, input) => {
    const { outcome, loop } = latestOutcome(run, input);
    if (outcome === undefined) return undefined;
    const stop = outcome.isAgreed
      ? `agreed after ${outcome.rounds} rounds`
      : `no agreement after ${outcome.rounds} rounds`;
    return { unit: 'round', plan: loop, points: pointsProgress(outcome.points), rounds: [], warnings: [], stop };
  },
  result: (run, input) => {
    const { outcome } = latestOutcome(run, input);
    return outcome === undefined ? undefined : debateDocument(input.question, outcome);
  },
  outline,
};

/** The outcome of a debate as Markdown. */
export function debateDocument(question: string, { isAgreed, rounds, points, positions }: DebateOutcome): string {
  const verdict = `${isAgreed ? 'Agreement' : 'No agreement'} after ${rounds} ${rounds === 1 ? 'round' : 'rounds'}.`;
  const statements = positions.flatMap(({ side, text }) => [`### ${side}`, '', text, '']);
  return pointsDocument(question, points, ['## Result', '', verdict, '', '## Positions', '', ...statements]);
}

function nextTasks(run: RunState, input: DebateInput): Unfolding {
  for (let loop = 1; loop <= input.loops; loop += 1) {
    const step = nextDebateStep(run, planOf(run, input, loop));
    if (step.do === 'add') return { add: step.add };
    if (step.do !== 'end' || input.action === undefined || !step.outcome.isAgreed) return NOTHING_NEW;
    if (loop > 1 && step.outcome.nothingLeft) return NOTHING_NEW;
    const action = run.tasks[`action/${loop}`];
    if (action === undefined) return { add: [actionTask(run, input, { loop, outcome: step.outcome })] };
    if (action.phase.status !== 'done') return NOTHING_NEW;
  }
  return NOTHING_NEW;
}

function planOf(run: RunState, { question, sides, rounds }: DebateInput, loop: number): DebatePlan {
  const again =
    loop === 1
      ? ''
      : `\n\nAn action followed from debate ${loop - 1}: ${summaryOf(run, loop - 1)}\nDebate what is left; say \`nothingLeft\` if nothing is.`;
  return {
    prefix: `debate/${loop}`,
    question: `${question}${again}`,
    sides,
    rounds: Math.min(rounds, run.start.maxIterations ?? rounds),
  };
}

function summaryOf(run: RunState, loop: number): string {
  const action = run.tasks[`action/${loop}`];
  return (action === undefined ? '' : (lastAttempt(action)?.ended?.summary ?? '')).slice(0, 2_000);
}

/** The first side acts, the second one verifies the work before it may land. */
function actionTask(
  run: RunState,
  { question, action = '', sides }: DebateInput,
  { loop, outcome }: { loop: number; outcome: DebateOutcome },
): TaskSpec {
  const [first, second] = sideAgents(run, sides);
  const text = debateDocument(question, outcome).slice(0, OUTCOME_CHARS);
  const prompt = promptText('recipes/debate/debate-action', { action, question, outcome: text });
  const spec = taskSpec(run.start.config, {
    key: `action/${loop}`,
    title: `Act on debate ${loop}`,
    role: 'implement',
    access: 'write',
    prompt,
    ...(first === undefined ? {} : { agent: first }),
  });
  return {
    ...spec,
    verify: {
      role: 'verify',
      fixRole: 'fix',
      prompt,
      steps: outcome.points.agreed.map(({ claim }) => `It is consistent with: ${claim}`),
      rounds: ROUNDS_OF_VERIFICATION,
      limits: { ...spec.limits, turns: run.start.config.verify.turns },
      ...(second === undefined ? {} : { agent: second }),
    },
  };
}

function latestOutcome(run: RunState, input: DebateInput): { loop: number; outcome: DebateOutcome | undefined } {
  let latest: { loop: number; outcome: DebateOutcome | undefined } = { loop: 1, outcome: undefined };
  for (let loop = 1; loop <= input.loops; loop += 1) {
    const step = nextDebateStep(run, planOf(run, input, loop));
    if (step.do !== 'end') break;
    latest = { loop, outcome: step.outcome };
  }
  return latest;
}

function outline(
  _config: unknown,
  { sides, rounds, loops, action }: DebateInput,
  maxIterations?: number,
): RecipeOutline {
  const most = Math.min(rounds, maxIterations ?? rounds);
  const again = loops === 1 ? '' : `, at most ${loops} times`;
  return {
    phases: [
      { title: `Debate: ${sides} sides, at most ${most} rounds${again}`, role: 'debate', most: sides * most * loops },
      ...(action === undefined
        ? []
        : [
            { title: 'Act on the outcome', role: 'implement', most: loops },
            { title: 'Another side verifies the action', role: 'verify', most: loops * ROUNDS_OF_VERIFICATION },
          ]),
    ],
    stops: [
      'every side agrees, and agreed points have evidence of two sides',
      `${most} rounds are used`,
      ...(action === undefined ? [] : ['the sides do not agree: nothing is done']),
    ],
  };
}
