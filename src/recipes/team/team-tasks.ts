import type { RunState } from '../../core/run/state.ts';
import { promptText } from '../../roles/prompt.ts';
import type { TeamInput } from '../../schema/request.ts';
import type { TaskSpec } from '../../schema/task.ts';
import { pointLines } from '../points.ts';
import { taskSpec } from '../task-spec.ts';
import { type TeamPhase, type TeamResults, type TeamStep, teamDocument, teamKey } from './team-results.ts';

export const ROUNDS_OF_VERIFICATION = 3;
const RESULT_CHARS = 12_000;
const DOCUMENT_CHARS = 30_000;

const TITLES: Record<TeamPhase, string> = {
  role: 'Examine the task as',
  cross: 'Review another role as',
  vote: 'Vote as',
};

const STANCE = {
  type: 'object',
  properties: {
    point: { type: 'string', maxLength: 20 },
    stance: { type: 'string', enum: ['agree', 'dispute', 'unsure'] },
    evidence: { type: 'string', maxLength: 2_000 },
  },
  required: ['point', 'stance', 'evidence'],
};
const POINT = {
  type: 'object',
  properties: {
    claim: { type: 'string', minLength: 1, maxLength: 1_000 },
    evidence: { type: 'string', maxLength: 2_000 },
  },
  required: ['claim', 'evidence'],
};

/** What every role answers, in every phase. */
const ANSWER_SCHEMA = {
  type: 'object',
  properties: {
    position: { type: 'string', maxLength: 8_000 },
    points: { type: 'array', maxItems: 30, items: POINT },
    answers: { type: 'array', maxItems: 200, items: STANCE },
    gaps: { type: 'array', maxItems: 30, items: { type: 'string', maxLength: 500 } },
  },
  required: ['position', 'points', 'answers', 'gaps'],
};

/** One task for each role: all examine the task, review the next role's result, or vote. Each keeps its session. */
export function phaseTasks(run: RunState, input: TeamInput, phase: TeamPhase, results: TeamResults): TaskSpec[] {
  return input.roles.map((role, index) => {
    const other = input.roles[(index + 1) % input.roles.length] ?? role;
    const before = phase === 'cross' ? 'role' : 'cross';
    return taskSpec(run.start.config, {
      key: teamKey(phase, role),
      title: `${TITLES[phase]} ${role}`,
      role,
      access: 'read',
      outputSchema: ANSWER_SCHEMA,
      prompt: promptOf(input, phase, { role, other, results }),
      ...(phase === 'role' ? { together: 'roles' } : { continues: teamKey(before, role) }),
    });
  });
}

function promptOf(
  { task, roles }: TeamInput,
  phase: TeamPhase,
  { role, other, results }: { role: string; other: string; results: TeamResults },
): string {
  const { points, positions } = results;
  const theirs = points.filter(({ by }) => by === other);
  return promptText('recipes/team/take-part', {
    task,
    role,
    roles: roles.join(', '),
    isFirst: phase === 'role',
    other: phase === 'cross' ? other : '',
    result: phase === 'cross' ? (positions.find((each) => each.role === other)?.text ?? '').slice(0, RESULT_CHARS) : '',
    theirs: phase === 'cross' ? pointLines(theirs) : '',
    points: phase === 'vote' ? pointLines(points) : '',
  });
}

/** The task that makes one plan of the results of the roles. */
export function synthesisTask(run: RunState, input: TeamInput, results: TeamResults): TaskSpec {
  return taskSpec(run.start.config, {
    key: 'synthesis',
    title: 'Make one plan of the results',
    role: 'synthesize',
    access: 'read',
    prompt: promptText('recipes/team/synthesis', {
      task: input.task,
      results: teamDocument(run, input, results).slice(0, DOCUMENT_CHARS),
    }),
  });
}

/** The implementer gets the steps that the roles accepted; another agent verifies each of them before the work may land. */
export function implementTask(
  run: RunState,
  input: TeamInput,
  { results, steps }: { results: TeamResults; steps: readonly TeamStep[] },
): TaskSpec {
  const prompt = promptText('recipes/team/implement-synthesis', {
    task: input.task,
    steps: steps.map(({ title, points }, index) => `${index + 1}. ${title} (${points.join(', ')})`).join('\n'),
    results: teamDocument(run, input, results).slice(0, DOCUMENT_CHARS),
  });
  const spec = taskSpec(run.start.config, {
    key: 'implement',
    title: `Implement: ${input.task}`,
    role: 'implement',
    access: 'write',
    prompt,
  });
  return {
    ...spec,
    verify: {
      role: 'verify',
      fixRole: 'fix',
      prompt,
      steps: steps.map(({ title }) => title),
      rounds: ROUNDS_OF_VERIFICATION,
      limits: { ...spec.limits, turns: run.start.config.verify.turns },
    },
  };
}
