import { describe, expect, it } from 'vitest';
import type { RunState } from '../../../src/core/run/state.ts';
import { team } from '../../../src/recipes/team/team.ts';
import { TeamInput } from '../../../src/schema/request.ts';
import { added, attemptEnded, attempted, given, type Story, started, taskEnded } from '../../support/given.ts';

const INPUT = TeamInput.parse({ task: 'Let customers cancel', roles: ['requirements', 'security', 'testing'] });
const WRITE = { ...INPUT, write: true };
const FILE = 'src/order.ts:3';
const found = (claim: string, gaps: string[] = []) => ({
  position: `I found: ${claim}`,
  points: [{ claim, evidence: FILE }],
  answers: [],
  gaps,
});
const stance = (point: string, how: string, evidence = FILE) => ({ point, stance: how, evidence });
const says = (...answers: unknown[]) => ({ position: 'So it is', points: [], answers, gaps: [] });
const ROLES = [
  found('Orders have no state', ['Who may cancel']),
  found('Anybody can cancel'),
  found('Nothing is tested'),
];

function next(state: RunState, input = INPUT) {
  return team.unfold(state, input, undefined);
}

/** Adds what the recipe asks for, and lets each of these tasks answer. */
function answered(story: Story, outputs: unknown[], input = INPUT): Story {
  const { add } = next(story.state, input);
  const events = add.flatMap(({ key }, index) => [
    attempted(key),
    attemptEnded(key, 1, { output: outputs[index] }),
    taskEnded(key, 'done'),
  ]);
  return story.and(added(...add), ...events);
}

function voted(votes: unknown[], input = INPUT): Story {
  const cross = [says(stance('P2', 'agree')), says(stance('P3', 'agree')), says(stance('P1', 'agree'))];
  return [ROLES, cross, votes].reduce<Story>((story, outputs) => answered(story, outputs, input), given(started()));
}

const ALL_AGREE = INPUT.roles.map(() =>
  says(stance('P1', 'agree'), stance('P2', 'dispute'), stance('P3', 'agree', 'yes')),
);
const PLAN = {
  summary: 'Give orders a state.',
  steps: [
    { title: 'Add the state', points: ['P1'] },
    { title: 'Rewrite everything', points: [] },
    { title: 'Check who cancels', points: ['P1', 'P2'] },
  ],
};

describe('a team', () => {
  it('starts all roles together, each of which only reads', () => {
    const { add } = next(given(started()).state);
    expect(add.map(({ key, role, access, together }) => ({ key, role, access, together }))).toEqual(
      INPUT.roles.map((role) => ({ key: `role/${role}`, role, access: 'read', together: 'roles' })),
    );
  });

  it('lets each role review one other in its session, then all vote on all points', () => {
    const examined = answered(given(started()), ROLES);
    const { add } = next(examined.state);
    expect(add.map(({ key, continues }) => [key, continues])).toEqual(
      INPUT.roles.map((role) => [`cross/${role}`, `role/${role}`]),
    );
    expect(add[0]?.prompt).toContain('P2 (security): Anybody can cancel');
    expect(add[0]?.prompt).not.toContain('Nothing is tested');
    const vote = next(answered(examined, [says(), says(), says()]).state).add;
    expect(vote[0]).toMatchObject({ key: 'vote/requirements', continues: 'cross/requirements' });
    for (const id of ['P1', 'P2', 'P3']) expect(vote[0]?.prompt).toContain(`${id} (`);
  });

  it('collects agreements, conflicts and gaps, with who said what', () => {
    const { state } = answered(voted(ALL_AGREE), [PLAN]);
    const text = String(team.result?.(state, INPUT));
    expect(text).toMatch(
      /## Agreements\n\n- \*\*P1\*\* \(requirements\): Orders have no state\n {2}- requirements: agree/,
    );
    expect(text).toMatch(/## Conflicts\n\n- \*\*P2\*\*[\s\S]*vote: 0 agree, 3 dispute, 0 unsure; not accepted/);
    expect(text).toMatch(/## Gaps\n\n- requirements: Who may cancel/);
    expect(team.progress?.(state, INPUT)).toMatchObject({ stop: '1 agreements, 1 conflicts, 1 gaps' });
  });

  it('does not carry what agents agree on without evidence', () => {
    const task = answered(given(started()), ROLES).state.tasks['role/testing'];
    if (task === undefined) throw new Error('there is no task');
    const cross = { ...task, spec: { ...task.spec, key: 'cross/testing' } };
    expect(team.accept?.(task, { ...found('x'), points: [{ claim: 'x', evidence: 'trust me' }] })).toContain(
      'no evidence',
    );
    expect(team.accept?.(task, says())).toContain('no point');
    expect(team.accept?.(cross, says(stance('P1', 'agree', 'sure')))).toContain('without evidence');
    const bare = INPUT.roles.map(() => says(...['P1', 'P2', 'P3'].map((id) => stance(id, 'agree', 'I agree'))));
    const { state } = voted(bare);
    expect(team.progress?.(state, INPUT)?.points.map(({ status }) => status)).toEqual(['open', 'open', 'open']);
    const planned = answered(voted(bare, WRITE), [PLAN], WRITE);
    expect(next(planned.state, WRITE)).toEqual({ add: [] });
    expect(team.shortfall?.(planned.state, WRITE)).toContain('nothing was changed');
  });

  it('implements, with --write, only the steps that follow from accepted points, verified by another agent', () => {
    expect(next(answered(voted(ALL_AGREE), [PLAN]).state)).toEqual({ add: [] });
    const { add } = next(answered(voted(ALL_AGREE, WRITE), [PLAN], WRITE).state, WRITE);
    expect(add).toMatchObject([{ key: 'implement', access: 'write', verify: { steps: ['Add the state'] } }]);
  });

  it('ends without cross review when a role failed', () => {
    const { add } = next(given(started()).state);
    const story = given(started()).and(added(...add), ...add.map(({ key }) => taskEnded(key, 'failed')));
    expect(next(story.state)).toEqual({ add: [] });
    expect(team.result?.(story.state, INPUT)).toBeUndefined();
  });
});
