import { describe, expect, it } from 'vitest';
import { OPERATIONS, STREAMS } from '../../src/operations/all.ts';
import { type AccessRole, type Identity, identityOf, mayCall } from '../../src/operations/authorize.ts';

const ROLES: readonly AccessRole[] = ['guest', 'viewer', 'operator', 'attempt', 'host'];
const ALL = [...Object.values(OPERATIONS), ...Object.values(STREAMS)];
const RUN = 'k3v9x2ab';
const OTHER = 'zzzzzzzz';

/** Everything a guest may call: a new operation is not in it by accident. */
const SHARED = [
  'bulk-status',
  'compact-run',
  'diff-run',
  'find-in-transcript',
  'judge-run',
  'list-warnings',
  'read-logs',
  'read-transcript',
  'report-run',
  'run-changes',
  'run-state',
  'show-plan',
  'show-run',
  'show-task',
  'summarize-diff',
  'verify-run',
  'watch-run',
];

const BOUND: readonly (readonly [string, Identity['bound'] & {}])[] = [
  ['a run', { to: 'runs', runs: [RUN] }],
  ['an attempt', { to: 'attempt', run: RUN, task: 'implement/1', attempt: 2 }],
  ['a host', { to: 'host', host: 'build-1' }],
];

describe.each(ALL)('$name', (operation) => {
  it('is reached without a bound token by a viewer or an operator that it lists, and by no other role', () => {
    const reached = ROLES.filter((role) => mayCall({ role }, operation, { run: RUN }));
    expect(reached).toEqual(operation.allow.filter((role) => role === 'viewer' || role === 'operator'));
  });

  it('lets a viewer only read', () => {
    if (!operation.allow.includes('viewer')) return expect([['operator'], ['attempt']]).toContainEqual(operation.allow);
    expect([operation.where, String(operation.http).slice(0, 4)]).toEqual(['anywhere', 'GET ']);
  });

  it.each(BOUND)('restricts a token that is bound to %s to that', (_, bound) => {
    for (const role of ROLES) {
      const identity = { role, bound };
      for (const input of [undefined, {}, { dir: '/project' }, { run: OTHER }, { run: RUN.slice(0, 4) }, { host: 'x' }])
        expect(mayCall(identity, operation, input), JSON.stringify(input)).toBe(false);
    }
  });

  it('does not reach beyond its allow-list with a bound token', () => {
    for (const role of ROLES)
      expect(mayCall({ role, bound: { to: 'runs', runs: [RUN] } }, operation, { run: RUN })).toBe(
        operation.allow.includes(role),
      );
  });
});

describe('a guest', () => {
  it('reads only what is about the run that was shared, and no terminal', () => {
    const open = ALL.filter(({ allow }) => allow.includes('guest'));
    expect(open.map(({ name }) => name).sort()).toEqual(SHARED);
    for (const { http, where, allow } of open) {
      expect([String(http).startsWith('GET /api/runs/{run}'), where]).toEqual([true, 'anywhere']);
      expect(allow).toContain('viewer');
    }
  });

  it('names no folder, which could select another project', () => {
    const identity: Identity = { role: 'guest', bound: { to: 'runs', runs: [RUN] } };
    expect(mayCall(identity, OPERATIONS['show-run'], { run: RUN })).toBe(true);
    expect(mayCall(identity, OPERATIONS['show-run'], { run: RUN, dir: '/project' })).toBe(false);
  });
});

describe('a token that is bound to a run', () => {
  const identity: Identity = { role: 'viewer', bound: { to: 'runs', runs: [RUN] } };

  it('reaches no other run that the input names', () => {
    const judge = OPERATIONS['judge-run'];
    expect(mayCall(identity, judge, { run: RUN, opinions: [] })).toBe(true);
    expect(mayCall(identity, judge, { run: RUN, opinions: [OTHER] })).toBe(false);
  });
});

describe('a token that is bound to an attempt', () => {
  const identity: Identity = {
    role: 'viewer',
    bound: { to: 'attempt', run: RUN, task: 'implement/1', attempt: 2 },
  };
  const read = OPERATIONS['read-transcript'];

  it.each([
    [{ run: RUN, task: 'implement/1' }, false],
    [{ run: RUN, task: 'implement/1', attempt: 2 }, true],
    [{ run: RUN, task: 'implement/1', attempt: 1 }, false],
    [{ run: RUN, task: 'implement/2' }, false],
    [{ run: RUN }, false],
  ])('with %j: %s', (input, isAllowed) => {
    expect(mayCall(identity, read, input)).toBe(isAllowed);
  });
});

it('lets an agent on this machine only read', () => {
  const role = (kind: 'person' | 'agent') =>
    identityOf({ actor: kind === 'person' ? { kind, name: 'ann' } : { kind, attempt: 'k3v9x2ab-1-1' }, via: 'cli' })
      .role;
  expect([role('person'), role('agent')]).toEqual(['operator', 'viewer']);
});
