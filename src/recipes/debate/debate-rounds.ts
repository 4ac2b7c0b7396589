import type { RunState, TaskState } from '../../core/run/state.ts';
import { promptText } from '../../roles/prompt.ts';
import type { TaskSpec } from '../../schema/task.ts';
import {
  collectPoints,
  type Point,
  type PointsOutput,
  pointLines,
  pointsOf,
  type SortedPoints,
  sortPoints,
} from '../points.ts';
import { taskSpec } from '../task-spec.ts';

/** A debate within a run: the beginning of its keys, the question, how many sides and rounds. */
export type DebatePlan = { prefix: string; question: string; sides: number; rounds: number };

/** The result of a debate: whether the sides agree, and on what. */
export type DebateOutcome = {
  isAgreed: boolean;
  nothingLeft: boolean;
  rounds: number;
  points: SortedPoints;
  positions: { side: string; text: string }[];
};

export type DebateStep =
  | { do: 'add'; add: TaskSpec[] }
  | { do: 'wait' }
  | { do: 'fail' }
  | { do: 'end'; outcome: DebateOutcome };

const POSITION_CHARS = 3_000;

/** The next round of a debate, or its outcome: it ends when all sides agree with evidence, or after its last round. */
export function nextDebateStep(run: RunState, plan: DebatePlan): DebateStep {
  const names = sideNames(plan.sides);
  const rounds: TaskState[][] = [];
  for (let round = 1; ; round += 1) {
    const tasks = names.flatMap((side) => run.tasks[keyOf(plan, round, side)] ?? []);
    if (tasks.length === 0) break;
    rounds.push(tasks);
  }
  const last = rounds.at(-1);
  if (last === undefined) return { do: 'add', add: roundTasks(run, plan, { round: 1, points: [], last: [] }) };
  if (last.some(({ phase }) => phase.status !== 'done' && !hasEnded(phase.status))) return { do: 'wait' };
  if (last.some(({ phase }) => phase.status !== 'done')) return { do: 'fail' };
  const answers = rounds.flatMap((tasks) => tasks.flatMap((task, index) => answerOf(names[index] ?? '', task)));
  const points = collectPoints(answers);
  const latest = last.flatMap((task, index) => answerOf(names[index] ?? '', task));
  const sorted = sortPoints(points, names);
  const isAgreed =
    rounds.length > 1 && latest.every(({ output }) => output.verdict === 'agree') && sorted.agreed.length > 0;
  if (!isAgreed && rounds.length < plan.rounds)
    return { do: 'add', add: roundTasks(run, plan, { round: rounds.length + 1, points, last: latest }) };
  const positions = latest.map(({ by, output }) => ({ side: by, text: output.position }));
  const nothingLeft = latest.every(({ output }) => output.nothingLeft);
  return { do: 'end', outcome: { isAgreed, nothingLeft, rounds: rounds.length, points: sorted, positions } };
}

/** The agents of the sides, of different vendors where there are several. */
export function sideAgents(run: RunState, sides: number): (string | undefined)[] {
  const { config, agents, unable = {} } = run.start;
  const named = (agents.debate ?? agents['*'])?.split(',') ?? config.routing.order;
  const usable = named.filter((name) => !Object.hasOwn(unable, name));
  const kinds = new Set<string>();
  const first = usable.filter((name) => {
    const kind = config.agents[name]?.kind ?? name;
    return !kinds.has(kind) && kinds.add(kind);
  });
  const ordered = [...first, ...usable.filter((name) => !first.includes(name))];
  return Array.from({ length: sides }, (_, index) => ordered[index % Math.max(1, ordered.length)]);
}

/** The sides by their letters. */
function sideNames(sides: number): string[] {
  return Array.from({ length: sides }, (_, index) => String.fromCharCode(97 + index));
}

type Answer = { by: string; output: PointsOutput };

function answerOf(by: string, task: TaskState): Answer[] {
  const output = pointsOf(task);
  return output === undefined ? [] : [{ by, output }];
}

function keyOf({ prefix }: DebatePlan, round: number, side: string): string {
  return `${prefix}/${round}/${side}`;
}

/** One task for each side, at the same time; each keeps its session from the round before. */
function roundTasks(
  run: RunState,
  plan: DebatePlan,
  { round, points, last }: { round: number; points: readonly Point[]; last: readonly Answer[] },
): TaskSpec[] {
  const agents = sideAgents(run, plan.sides);
  return sideNames(plan.sides).map((side, index) => {
    const others = last
      .filter(({ by }) => by !== side)
      .map(({ by, output }) => `### ${by}: ${output.verdict}\n\n${output.position.slice(0, POSITION_CHARS)}`)
      .join('\n\n');
    const agent = agents[index];
    return taskSpec(run.start.config, {
      key: keyOf(plan, round, side),
      title: `Debate round ${round}: side ${side}`,
      role: 'debate',
      access: 'read',
      prompt: promptText('recipes/debate/debate-round', {
        question: plan.question,
        side,
        round: String(round),
        rounds: String(plan.rounds),
        isFirst: round === 1,
        others,
        points: pointLines(points),
      }),
      ...(round === 1 ? {} : { continues: keyOf(plan, round - 1, side) }),
      ...(agent === undefined ? {} : { agent }),
    });
  });
}

function hasEnded(status: string): boolean {
  return ['done', 'failed', 'skipped', 'cancelled'].includes(status);
}
