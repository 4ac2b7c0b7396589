import { z } from 'zod';
import { lastAttempt, type RunState, type TaskState } from '../../core/run/state.ts';
import type { TeamInput } from '../../schema/request.ts';
import {
  collectPoints,
  isEvidence,
  type Point,
  PointsAnswer,
  pointLines,
  type SortedPoints,
  sortPoints,
} from '../points.ts';

/** What the synthesis hands over: its steps, each with the points that it follows from. */
export const SynthesisOutput = z.object({
  summary: z.string().trim().min(1).max(8_000),
  steps: z
    .array(z.object({ title: z.string().trim().min(1).max(1_000), points: z.array(z.string()).default([]) }))
    .max(50)
    .default([]),
});
type SynthesisOutput = z.infer<typeof SynthesisOutput>;

/** The phases in which every role takes part, in their order. */
export const TEAM_PHASES = ['role', 'cross', 'vote'] as const;
export type TeamPhase = (typeof TEAM_PHASES)[number];

type RoleAnswer = { by: string; output: PointsAnswer };

/** The results of the roles: agreements, conflicts, gaps, with who said what. */
export type TeamResults = {
  points: Point[];
  sorted: SortedPoints;
  positions: { role: string; text: string }[];
  gaps: { role: string; text: string }[];
};

/** A step of the synthesis, and whether it follows from points that hold. */
export type TeamStep = { title: string; points: string[]; isSupported: boolean };

export function teamKey(phase: TeamPhase, role: string): string {
  return `${phase}/${role}`;
}

/** The results of the roles whose tasks are done. */
export function teamResults(run: RunState, { roles }: TeamInput): TeamResults {
  const answers = TEAM_PHASES.flatMap((phase) =>
    roles.flatMap((role) => answerOf(role, run.tasks[teamKey(phase, role)])),
  );
  const points = collectPoints(answers);
  const first = roles.flatMap((role) => answerOf(role, run.tasks[teamKey('role', role)]));
  return {
    points,
    sorted: sortPoints(points, roles),
    positions: first.map(({ by, output }) => ({ role: by, text: output.position })),
    gaps: answers.flatMap(({ by, output }) => output.gaps.map((text) => ({ role: by, text }))),
  };
}

/** Whether more than half of the roles agree with a point and two of them show it. */
function isAccepted({ stances }: Point, roles: readonly string[]): boolean {
  const agreeing = roles.flatMap((role) => (stances[role]?.stance === 'agree' ? [stances[role]] : []));
  return agreeing.length * 2 > roles.length && agreeing.filter(({ evidence }) => isEvidence(evidence)).length >= 2;
}

/** The plan of the synthesis; a step holds if it names points, and the roles accepted each of them. */
export function teamSteps(run: RunState, input: TeamInput, { points }: TeamResults): TeamStep[] {
  const accepted = new Set(points.filter((point) => isAccepted(point, input.roles)).map(({ id }) => id));
  return (synthesisOf(run)?.steps ?? []).map(({ title, points: ids }) => ({
    title,
    points: ids,
    isSupported: ids.length > 0 && ids.every((id) => accepted.has(id)),
  }));
}

export function synthesisOf(run: RunState): SynthesisOutput | undefined {
  const task = run.tasks.synthesis;
  if (task?.phase.status !== 'done') return undefined;
  return SynthesisOutput.safeParse(lastAttempt(task)?.ended?.output).data;
}

/** The outcome as Markdown. */
export function teamDocument(run: RunState, input: TeamInput, results: TeamResults): string {
  const { sorted, positions, gaps } = results;
  const synthesis = synthesisOf(run);
  const steps = teamSteps(run, input, results);
  const part = (heading: string, lines: readonly string[]) => [`## ${heading}`, '', ...lines, ''];
  const listed = (points: readonly Point[]) =>
    points.length === 0 ? ['None.'] : points.map((point) => pointText(point, input.roles));
  const gapLines = [...gaps.map(({ role, text }) => `- ${role}: ${text}`), ...sorted.open.map(openText)];
  return [
    `# ${input.task}`,
    '',
    ...(synthesis === undefined ? [] : part('Synthesis', [synthesis.summary, '', ...steps.map(stepText)])),
    ...part('Agreements', listed(sorted.agreed)),
    ...part('Conflicts', listed(sorted.disputed)),
    ...part('Gaps', gapLines.length === 0 ? ['None.'] : gapLines),
    ...positions.flatMap(({ role, text }) => part(`What ${role} found`, [text])),
  ]
    .join('\n')
    .trimEnd();
}

function stepText({ title, points, isSupported }: TeamStep, index: number): string {
  const from = points.length === 0 ? 'names no point' : points.join(', ');
  return `${index + 1}. ${title} (${from}${isSupported ? '' : '; not accepted by the roles'})`;
}

function pointText(point: Point, roles: readonly string[]): string {
  return `${pointLines([point]).replace(/^(P\d+)/, '- **$1**')}\n  - vote: ${voteText(point, roles)}`;
}

function openText(point: Point): string {
  return `- open: ${point.id} (${point.by}): ${point.claim}`;
}

/** The votes on a point, such as `3 agree, 1 disputes; accepted`. */
function voteText(point: Point, roles: readonly string[]): string {
  const count = (stance: string) => roles.filter((role) => point.stances[role]?.stance === stance).length;
  const votes = `${count('agree')} agree, ${count('dispute')} dispute, ${count('unsure')} unsure`;
  return `${votes}; ${isAccepted(point, roles) ? 'accepted' : 'not accepted'}`;
}

function answerOf(by: string, task: TaskState | undefined): RoleAnswer[] {
  if (task?.phase.status !== 'done') return [];
  const output = PointsAnswer.safeParse(lastAttempt(task)?.ended?.output).data;
  return output === undefined ? [] : [{ by, output }];
}
