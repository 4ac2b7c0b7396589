import { describe, expect, test } from 'vitest';
import {
  containmentDetails,
  containmentOf,
  containmentText,
  ownSandboxUse,
} from '../../../src/core/attempt/containment.ts';
import { Config } from '../../../src/schema/config.ts';
import { ContainmentRecord } from '../../../src/schema/containment.ts';

const AVAILABLE = { kind: 'available' } as const;
const NONE = { kind: 'none', reason: 'bubblewrap (bwrap) is not installed' } as const;
const OPEN = { contained: false, how: 'programs use the network of this machine' };
const LIMITED = { contained: true, how: 'memory and processes by cgroup' };
const DOCKER = { docker: { service: 'app' } };

const recordOf = (settings: object, machine: object = {}) =>
  containmentOf(Config.parse(settings), { sandbox: AVAILABLE, network: OPEN, resources: LIMITED, ...machine });

describe('how programs are contained', () => {
  test.each([
    [{}, { network: LIMITED }, 'fully contained'],
    [{}, {}, 'partly contained: not network'],
    [{}, { resources: OPEN }, 'partly contained: not network, resources'],
    [{}, { sandbox: NONE }, 'not contained: bubblewrap (bwrap) is not installed'],
    [{ sandbox: 'off' }, {}, 'not contained: sandbox is off in the settings'],
    [{ workspace: DOCKER }, {}, expect.stringContaining('run in a Docker service')],
    [{ sandbox: 'require' }, { network: LIMITED }, 'fully contained'],
  ])('%j with %j', (settings, machine, text) => {
    const { record } = recordOf(settings, machine);
    expect(containmentText(ContainmentRecord.parse(record))).toEqual(text);
  });

  test('without a loopback of its own a program shares that of the machine, which counts, or has none where it is required', () => {
    const machine = { network: LIMITED, sharesLoopback: true };
    const [shared, denied, open] = [{}, { sandbox: 'require' }, { network: { mode: 'open' } }].map((settings) =>
      recordOf(settings, machine),
    );
    expect([shared?.network, shared?.record.missing]).toEqual(['loopback', ['network']]);
    expect([denied?.network, denied?.record.missing]).toEqual(['listed', []]);
    expect([open?.network, open?.record.missing]).toEqual(['shared', ['network']]);
  });

  test('each part says what restricts it, or why nothing does, those with the same reason together', () => {
    const { kind, record } = recordOf({}, { sandbox: NONE });
    expect([kind, record.missing]).toEqual(['none', ['files', 'processes', 'network']]);
    expect(containmentDetails(record)).toEqual([
      'files, processes, network: not contained: bubblewrap (bwrap) is not installed',
      'resources: memory and processes by cgroup',
    ]);
  });

  test.each([
    ['sandbox', { kind: 'works' }, true, 'in addition to that of Manyhands'],
    ['sandbox', { kind: 'fails', reason: 'bwrap: no' }, false, 'which replaces it: bwrap: no'],
    ['sandbox', { kind: 'disabled' }, false, 'permission is bypass'],
    ['none', { kind: 'fails', reason: 'bwrap: no' }, true, 'it is the only sandbox'],
    ['none', { kind: 'disabled' }, false, 'permission is bypass'],
  ] as const)('with %s, an own sandbox of an agent that %j is used: %s', (kind, trial, used, how) => {
    const ownSandbox = ownSandboxUse(kind, trial);
    expect(ownSandbox).toEqual({ used, how: expect.stringContaining(how) });
    const { record } = recordOf({}, { network: LIMITED });
    const text = containmentText({ ...record, ownSandbox });
    expect(text).toBe(used ? 'fully contained' : `fully contained; without its own sandbox: ${ownSandbox.how}`);
    expect(containmentDetails({ ...record, ownSandbox }).at(-1)).toContain(ownSandbox.how);
  });

  test('records of earlier versions, without parts, are readable', () => {
    const record = ContainmentRecord.parse({ level: 'partly', missing: ['network'] });
    expect([containmentText(record), containmentDetails(record)]).toEqual(['partly contained: not network', []]);
    expect(containmentText(undefined)).toBe('');
  });

  test.each([
    [{}, { sandbox: NONE }],
    [{ workspace: DOCKER }, {}],
  ])('a required sandbox that is missing is refused: %j %j', (settings, machine) => {
    expect(() => recordOf({ ...settings, sandbox: 'require' }, machine)).toThrow(
      expect.objectContaining({ code: 'SANDBOX_UNAVAILABLE' }),
    );
  });
});
