import { describe, expect, it } from 'vitest';
import type { RunState } from '../../../src/core/run/state.ts';
import { debate } from '../../../src/recipes/debate/debate.ts';
import type { RunEvent } from '../../../src/schema/event.ts';
import { DebateInput } from '../../../src/schema/request.ts';
import {
  added,
  attemptEnded,
  attempted,
  given,
  landed,
  type Story,
  started,
  taskEnded,
  worked,
} from '../../support/given.ts';

const INPUT = DebateInput.parse({ question: 'Is it slow?' });
const ACT = DebateInput.parse({ question: 'Is it slow?', action: 'Make it fast', loops: 2 });
const FILE = 'src/a.ts:3 loops twice';
const first = (claim: string) => ({
  position: `I think ${claim}`,
  verdict: 'disagree',
  points: [{ claim, evidence: FILE }],
});
const agrees = (point: string, evidence = FILE) => ({
  verdict: 'agree',
  answers: [{ point, stance: 'agree', evidence }],
  points: [],
});

function next(state: RunState, input = INPUT) {
  return debate.unfold(state, input, undefined);
}

function answered(round: string, outputs: unknown[]): RunEvent[] {
  return outputs.flatMap((output, index) => {
    const key = `debate/${round}/${'abc'[index]}`;
    return [attempted(key), attemptEnded(key, 1, { output }), taskEnded(key, 'done')];
  });
}

/** Lets the sides answer one round after the other. */
function debated(
  rounds: unknown[][],
  { input = INPUT, loop = 1, story = given(started()) }: { input?: DebateInput; loop?: number; story?: Story } = {},
): Story {
  return rounds.reduce<Story>(
    (before, outputs, index) =>
      before.and(added(...next(before.state, input).add), ...answered(`${loop}/${index + 1}`, outputs)),
    story,
  );
}

const AGREEING = [
  [first('It loops twice'), first('It reads everything')],
  [agrees('P2'), agrees('P1')],
];

describe('a debate', () => {
  it('lets sides of different vendors speak at the same time, and each keeps its session', () => {
    const agents = { claude: { kind: 'claude' }, other: { kind: 'claude' }, codex: { kind: 'codex' } } as const;
    const begun = given(started({}, { agents, routing: { order: ['claude', 'other', 'codex'] } }));
    expect(next(begun.state).add).toMatchObject([
      { key: 'debate/1/1/a', role: 'debate', access: 'read', agent: 'claude' },
      { key: 'debate/1/1/b', agent: 'codex' },
    ]);
    const second = next(debated([AGREEING[0] ?? []]).state).add;
    expect(second.map(({ key, continues }) => [key, continues])).toEqual([
      ['debate/1/2/a', 'debate/1/1/a'],
      ['debate/1/2/b', 'debate/1/1/b'],
    ]);
    expect(second[0]?.prompt).toContain('It reads everything');
  });

  it('ends early when all sides agree with evidence, with a document of what was agreed', () => {
    const { state } = debated(AGREEING);
    expect(next(state)).toEqual({ add: [] });
    expect(debate.progress?.(state, INPUT)).toMatchObject({
      stop: 'agreed after 2 rounds',
      points: [{ status: 'done' }, { status: 'done' }],
    });
    expect(debate.result?.(state, INPUT)).toMatch(
      /## Agreed\n\n- \*\*P1\*\* \(a\): It loops twice[\s\S]*- b: agree: src\/a\.ts:3/,
    );
  });

  it('does not accept agents that agree without evidence', () => {
    const task = next(given(started()).state).add[0];
    const state = given(started()).and(...(task === undefined ? [] : [added(task)])).state.tasks['debate/1/1/a'];
    if (state === undefined) throw new Error('there is no task');
    expect(debate.accept?.(state, agrees('P1', 'because it is so'))).toContain('without evidence');
    expect(debate.accept?.(state, agrees('P1'))).toBeUndefined();
    const contradicts = {
      ...agrees('P1'),
      answers: [{ point: 'P1', stance: 'dispute', evidence: FILE }],
      points: [{ claim: 'x', evidence: FILE }],
    };
    expect(debate.accept?.(state, contradicts)).toContain('disputes P1');
    const bare = { verdict: 'agree', answers: [{ point: 'P1', stance: 'agree', evidence: 'sure' }], points: [] };
    const both = debated([
      [{ ...first('It loops'), points: [{ claim: 'It loops', evidence: '' }] }, first('It reads')],
      [bare, bare],
    ]);
    expect(next(both.state).add).toHaveLength(2);
    expect(debate.progress?.(both.state, INPUT)).toBeUndefined();
  });

  it('ends without agreement after its last round, and lists who disputes what', () => {
    const against = {
      verdict: 'disagree',
      answers: [{ point: 'P1', stance: 'dispute', evidence: 'src/b.ts:9' }],
      points: [],
    };
    const { state } = debated([AGREEING[0] ?? [], [agrees('P2'), against], [agrees('P2'), against]]);
    expect(next(state)).toEqual({ add: [] });
    expect(debate.result?.(state, INPUT)).toMatch(/## Disputed\n\n- \*\*P1\*\*[\s\S]*b: dispute: src\/b\.ts:9/);
    expect(debate.shortfall?.(state, INPUT)).toBeUndefined();
    expect(debate.shortfall?.(state, ACT)).toContain('did not agree');
  });

  it('stops at --max-iterations', () => {
    const begun = given(started({ maxIterations: 1 }));
    const one = begun.and(added(...next(begun.state).add), ...answered('1/1', AGREEING[0] ?? []));
    expect(next(one.state)).toEqual({ add: [] });
  });

  it('acts on an agreement, verified by another side, and debates again what is left', () => {
    const agreed = debated(AGREEING, { input: ACT });
    const [action] = next(agreed.state, ACT).add;
    expect(action).toMatchObject({
      key: 'action/1',
      role: 'implement',
      agent: 'one',
      verify: { agent: 'two', fixRole: 'fix' },
    });
    expect(action?.prompt).toContain('It loops twice');
    if (action === undefined) throw new Error('there is no action');
    const acted = agreed.and(added(action), ...worked('action/1'), landed('action/1'));
    const left = { nothingLeft: true };
    const again = debated(
      [
        [
          { ...first('Done'), ...left },
          { ...first('All done'), ...left },
        ],
        AGREEING[1]?.map((answer) => Object.assign({}, answer, left)) ?? [],
      ],
      { input: ACT, loop: 2, story: acted },
    );
    expect(next(again.state, ACT)).toEqual({ add: [] });
    expect(debate.progress?.(again.state, ACT)).toMatchObject({ plan: 2 });
  });
});
