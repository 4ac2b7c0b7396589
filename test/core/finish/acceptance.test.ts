import { describe, expect, it } from 'vitest';
import { acceptanceOf, type ResultSnapshot } from '../../../src/core/finish/acceptance.ts';
import { judgementOf } from '../../../src/core/finish/judgement.ts';
import type { RunState } from '../../../src/core/run/state.ts';
import type { Criterion, Decision } from '../../../src/schema/acceptance.ts';
import type { FileTrait } from '../../../src/schema/change.ts';
import type { RunEvent } from '../../../src/schema/event.ts';
import type { Verdict } from '../../../src/schema/gate.ts';
import {
  added,
  attemptEnded,
  attempted,
  evidence,
  given,
  landed,
  landing,
  saved,
  spec,
  started,
} from '../../support/given.ts';

const CHECK = { gate: 'command', name: 'test', run: 'true' } as const;
const SPENT = { costUsd: 0, tokens: 0, turns: 0 };
const done: RunEvent = { type: 'run.ended', data: { status: 'done', reason: 'done', spend: SPENT } };
const unchanged: ResultSnapshot = { branch: { commit: 'tip', tree: 'tree' }, base: null, changes: [] };

function judged(verdict: Verdict, tree = 'tree'): RunEvent {
  return { type: 'gate.ended', data: { tasks: ['job/1'], commit: 'tip', evidence: evidence('test', verdict, tree) } };
}

function finished(...more: RunEvent[]): RunState {
  const work = [attempted('job/1'), attemptEnded('job/1', 1, { saved: saved('job/1') }), landing('job/1')];
  return given(
    started(),
    added(spec('job/1', { gates: [CHECK] })),
    ...work,
    judged('pass'),
    landed('job/1'),
    done,
    ...more,
  ).state;
}

function verdictOn(criterion: Criterion, state: RunState, snapshot: ResultSnapshot = unchanged): [string, string] {
  const { acceptance, criteria } = acceptanceOf(state, snapshot);
  return [acceptance, criteria.find((found) => found.criterion === criterion)?.verdict ?? 'none'];
}

function decided(state: RunState, snapshot: ResultSnapshot = unchanged, opinion?: Decision): Decision {
  const opinions =
    opinion === undefined
      ? []
      : [{ by: 'one', run: 'r', opinion: { decision: opinion, reasons: ['so'], missing: [] } }];
  return judgementOf(state, acceptanceOf(state, snapshot), opinions).decision;
}

describe('acceptance', () => {
  it('is granted to a finished run whose checks passed on the current tree', () => {
    expect(verdictOn('evidence', finished())).toEqual(['verified', 'pass']);
  });

  it('is withheld during a run, and if the branch was moved or deleted', () => {
    const open = given(started(), added(spec('job/1', { gates: [CHECK] }))).state;
    expect(verdictOn('finished', open)).toEqual(['blocked', 'fail']);
    expect(acceptanceOf(open, unchanged).criteria.find(({ criterion }) => criterion === 'tests')).toMatchObject({
      verdict: 'pass',
      reason: 'nothing has landed yet',
    });
    expect(verdictOn('branch', finished(), { ...unchanged, branch: null })).toEqual(['blocked', 'fail']);
    const moved = { ...unchanged, branch: { commit: 'other', tree: 'other-tree' } };
    expect(verdictOn('branch', finished(), moved)).toEqual(['blocked', 'fail']);
    expect(acceptanceOf(finished(), moved).evidence).toMatchObject([{ gate: 'test', standing: 'stale' }]);
  });

  it('is withdrawn when a check that passed fails on the same tree later', () => {
    expect(verdictOn('evidence', finished(judged('fail')))).toEqual(['blocked', 'fail']);
    expect(verdictOn('evidence', finished(judged('fail'), judged('pass')))).toEqual(['verified', 'pass']);
  });

  it('warns that a base went on since, and is withheld when it lost the result', () => {
    const state = finished({ type: 'run.landed', data: { branch: 'main', commit: 'tip', how: 'merge' } });
    const base = { branch: 'main', commit: 'later', tree: 'later-tree', holdsResult: true, landedTree: 'tree' };
    expect(verdictOn('branch', state, { ...unchanged, base })).toEqual(['verified', 'warn']);
    expect(verdictOn('branch', state, { ...unchanged, base: { ...base, holdsResult: false } })).toEqual([
      'blocked',
      'fail',
    ]);
    const undone = finished(
      { type: 'run.landed', data: { branch: 'main', commit: 'tip', how: 'merge' } },
      { type: 'run.undone', data: { branch: 'main', commit: 'revert', from: 'tip', reason: 'no' } },
    );
    expect(verdictOn('branch', undone, { ...unchanged, base })).toEqual(['blocked', 'fail']);
  });

  it('warns of source without tests', () => {
    const changes = [{ path: 'src/a.ts', status: 'added' as const, added: 3, deleted: 0, binary: false }];
    expect(verdictOn('tests', finished(), { ...unchanged, changes })).toEqual(['verified', 'warn']);
  });
});

describe('a judgement', () => {
  it('approves what is verified, returns what agents can fix, and leaves the rest to a person', () => {
    expect(decided(finished())).toBe('approve');
    expect(decided(finished(judged('fail')))).toBe('revise');
    expect(decided(finished(), { ...unchanged, branch: null })).toBe('block');
    expect(decided(given(started(), added(spec('job/1'))).state)).toBe('block');
  });

  it.each<[Decision, Decision, Verdict]>([
    ['approve', 'approve', 'pass'],
    ['revise', 'revise', 'pass'],
    ['block', 'block', 'pass'],
    ['approve', 'revise', 'fail'],
    ['block', 'block', 'fail'],
  ])('with an opinion of %s becomes %s where the check said %s', (opinion, decision, verdict) => {
    expect(decided(finished(judged(verdict)), unchanged, opinion)).toBe(decision);
  });

  it('blocks on a serious risk that no person has approved', () => {
    const flag = { risk: 'destructive-command', severity: 'high', blocking: false, detail: 'rm -rf' } as const;
    const work = [
      attempted('job/1'),
      attemptEnded('job/1', 1, { saved: saved('job/1'), flags: [flag] }),
      landing('job/1'),
    ];
    const state = given(
      started(),
      added(spec('job/1', { gates: [CHECK] })),
      ...work,
      judged('pass'),
      landed('job/1'),
      done,
    ).state;
    expect(decided(state)).toBe('block');
    const { acceptance, criteria, findings } = acceptanceOf(state, unchanged);
    expect(acceptance).toBe('blocked');
    expect(criteria).toContainEqual({ criterion: 'risks', verdict: 'fail', reason: 'job/1: high: rm -rf' });
    expect(findings).toEqual([
      { task: 'job/1', finding: 'destructive-command', severity: 'high', detail: 'rm -rf', files: [], approved: false },
    ]);
  });

  it('lists what the lines of a change do not show among the findings, and accepts it', () => {
    const traits: FileTrait[] = ['case-collision', 'line-endings'];
    const change = { path: 'Src/a.ts', status: 'added' as const, added: 1, deleted: 0, binary: false, traits };
    const state = finished(judged('pass'));
    const { acceptance, findings } = acceptanceOf(state, { ...unchanged, changes: [change] });
    expect(acceptance).toBe('verified');
    expect(findings).toMatchObject([
      { finding: 'case-collision', severity: 'medium', files: ['Src/a.ts'] },
      { finding: 'line-endings', severity: 'low' },
    ]);
  });
});
