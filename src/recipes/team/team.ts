import { openTasks, type RunState, type TaskState } from '../../core/run/state.ts';
import { chargeOf, roundMoney } from '../../core/schedule/budget.ts';
import type { ProgressDocument } from '../../schema/progress.ts';
import { TeamInput } from '../../schema/request.ts';
import { isEvidence, issuesOf, PointsAnswer, pointsProgress } from '../points.ts';
import type { Recipe, RecipeOutline, Unfolding } from '../recipe.ts';
import { oneLine } from '../task-spec.ts';
import {
  SynthesisOutput,
  synthesisOf,
  TEAM_PHASES,
  teamDocument,
  teamKey,
  teamResults,
  teamSteps,
} from './team-results.ts';
import { implementTask, phaseTasks, ROUNDS_OF_VERIFICATION, synthesisTask } from './team-tasks.ts';

const NOTHING_NEW: Unfolding = { add: [] };

/** Several roles examine a task at the same time, review each other and vote; what they accept may then be implemented. */
export const team: Recipe<TeamInput> = {
  name: 'team',
  version: 1,
  input: TeamInput,
  form: {
    title: 'Team',
    summary: 'Several roles examine a task, review each other and vote.',
    file: false,
    command: { name: 'team', text: 'task', flags: { roles: '--roles {,}', write: '--write' } },
  },
  title: ({ task }) => oneLine(task),
  roles: ({ roles }) => roles,
  isReadOnly: ({ write }) => !write,
  acceptsFolder: ({ write }) => !write,
  accept: ({ spec }, output) => {
    if (spec.key === 'synthesis') return refuseSynthesis(output);
    return spec.key.includes('/') ? refuseAnswer(spec.key, output) : undefined;
  },
  unfold: (run, input) => (openTasks(run) > 0 ? NOTHING_NEW : nextTasks(run, input)),
  shortfall: (run, input) => {
    if (!input.write || synthesisOf(run) === undefined) return undefined;
    const steps = teamSteps(run, input, teamResults(run, input));
    if (steps.some(({ isSupported }) => isSupported)) return undefined;
    return 'no step of the synthesis follows from points that the roles accepted with evidence, so nothing was changed';
  },
  progress,
  result: (run, input) => {
    const results = teamResults(run, input);
    return results.positions.length === 0 ? undefined : teamDocument(run, input, results);
  },
  outline,
};

function nextTasks(run: RunState, input: TeamInput): Unfolding {
  const results = teamResults(run, input);
  for (const phase of TEAM_PHASES) {
    const tasks = input.roles.map((role) => run.tasks[teamKey(phase, role)]);
    if (tasks.every((task) => task === undefined)) return { add: phaseTasks(run, input, phase, results) };
    if (!tasks.every(isDone)) return NOTHING_NEW;
  }
  if (run.tasks.synthesis === undefined) return { add: [synthesisTask(run, input, results)] };
  if (!input.write || !isDone(run.tasks.synthesis) || run.tasks.implement !== undefined) return NOTHING_NEW;
  const steps = teamSteps(run, input, results).filter(({ isSupported }) => isSupported);
  return steps.length === 0 ? NOTHING_NEW : { add: [implementTask(run, input, { results, steps })] };
}

function isDone(task: TaskState | undefined): boolean {
  return task?.phase.status === 'done';
}

/** A role shows what it claims, and a reviewer shows what it agrees with; a vote without evidence counts as a vote only. */
function refuseAnswer(key: string, output: unknown): string | undefined {
  const parsed = PointsAnswer.safeParse(output);
  if (!parsed.success) return issuesOf(parsed.error);
  const { points, answers } = parsed.data;
  const bare = points.find(({ evidence }) => !isEvidence(evidence));
  if (bare !== undefined)
    return `"${bare.claim}" has no evidence; name the file and line, or the command and its output, that shows it`;
  if (key.startsWith('role/'))
    return points.length === 0 ? 'it has no point; state what you found in points' : undefined;
  if (key.startsWith('vote/')) return undefined;
  const unseen = answers.find(({ stance, evidence }) => stance === 'agree' && !isEvidence(evidence));
  return unseen === undefined ? undefined : `it agrees with ${unseen.point} without evidence; name what shows it`;
}

function refuseSynthesis(output: unknown): string | undefined {
  const parsed = SynthesisOutput.safeParse(output);
  return parsed.success ? undefined : issuesOf(parsed.error);
}

function progress(run: RunState, input: TeamInput): ProgressDocument | undefined {
  const results = teamResults(run, input);
  if (results.positions.length === 0) return undefined;
  const rounds = TEAM_PHASES.flatMap((phase, index) => {
    const tasks = input.roles.flatMap((role) => run.tasks[teamKey(phase, role)] ?? []);
    if (!tasks.some(isDone)) return [];
    return [
      { round: index + 1, plan: 1, done: tasks.filter(isDone).length, landed: false, findings: 0, cost: costOf(tasks) },
    ];
  });
  const { agreed, disputed } = results.sorted;
  const stop =
    synthesisOf(run) === undefined
      ? null
      : `${agreed.length} agreements, ${disputed.length} conflicts, ${results.gaps.length} gaps`;
  return { unit: 'round', plan: 1, points: pointsProgress(results.sorted), rounds, warnings: [], stop };
}

function costOf(tasks: readonly TaskState[]): number {
  const attempts = tasks.flatMap((task) => task.attempts).filter(({ ended }) => ended !== null);
  return roundMoney(attempts.reduce((sum, { usage, reservation }) => sum + chargeOf(usage, reservation).costUsd, 0));
}

function outline(_config: unknown, { roles, write }: TeamInput): RecipeOutline {
  return {
    phases: [
      ...roles.map((role) => ({
        title: `Examine the task, review one other role, vote`,
        role,
        most: TEAM_PHASES.length,
      })),
      { title: 'Make one plan of the results', role: 'synthesize', most: 1 },
      ...(write
        ? [
            { title: 'Implement what the roles accepted', role: 'implement', most: 1 },
            { title: 'Another agent verifies it', role: 'verify', most: ROUNDS_OF_VERIFICATION },
          ]
        : []),
    ],
    stops: [
      'all roles have examined the task, reviewed each other and voted, and one plan is made',
      'a role cannot start: then none does',
      ...(write ? ['no step follows from points that the roles accepted with evidence: nothing is changed'] : []),
    ],
  };
}
