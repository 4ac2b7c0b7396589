import { describe, expect, test } from 'vitest';
import { containmentOf, containmentText, permissionsFor } from '../../../src/core/attempt/permissions.ts';
import { Config } from '../../../src/schema/config.ts';

const AVAILABLE = { kind: 'available' } as const;
const NONE = { kind: 'none', reason: 'bubblewrap (bwrap) is not installed' } as const;
const paths = { read: ['/srv/models'], write: ['/srv/cache'] };
const of = { workspace: '/w', objects: '/m/objects', paths };

describe('the permissions of a program', () => {
  test('an agent may write its workspace and its login, and read its prompt and the objects of the mirror', () => {
    const agent = { folder: '/a/1', login: ['/home/ann/.claude'] };
    expect(permissionsFor({ ...of, purpose: 'agent', agent })).toEqual({
      read: ['/m/objects', '/a/1', '/srv/models'],
      write: ['/w', '/home/ann/.claude', '/srv/cache'],
    });
  });

  test.each(['check', 'setup', 'application'] as const)('a program for %s has no login and no prompt', (purpose) => {
    const agent = { folder: '/a/1', login: ['/home/ann/.claude'] };
    expect(permissionsFor({ ...of, purpose, agent })).toEqual({
      read: ['/m/objects', '/srv/models'],
      write: ['/w', '/srv/cache'],
    });
  });
});

describe('how programs are contained', () => {
  test.each([
    ['auto', {}, AVAILABLE, 'contained, except network'],
    ['auto', {}, NONE, 'not contained: bubblewrap (bwrap) is not installed'],
    ['off', {}, AVAILABLE, 'not contained: sandbox is off in the settings'],
    ['auto', { docker: { service: 'app' } }, AVAILABLE, expect.stringContaining('run in a Docker service')],
    ['require', {}, AVAILABLE, 'contained, except network'],
  ])('%s with %j and %j', (sandbox, workspace, availability, text) => {
    const { record } = containmentOf(Config.parse({ sandbox, workspace }), availability);
    expect(containmentText(record)).toEqual(text);
  });

  test.each([
    [{}, NONE],
    [{ docker: { service: 'app' } }, AVAILABLE],
  ])('a required sandbox that is missing is refused: %j %j', (workspace, availability) => {
    expect(() => containmentOf(Config.parse({ sandbox: 'require', workspace }), availability)).toThrow(
      expect.objectContaining({ code: 'SANDBOX_UNAVAILABLE' }),
    );
  });
});
