import { describe, expect, test } from 'vitest';
import { permissionsFor } from '../../../src/core/attempt/permissions.ts';

const paths = { read: ['/srv/models'], write: ['/srv/cache'] };
const of = { workspace: '/w', objects: '/m/objects', paths };

describe('the permissions of a program', () => {
  test('an agent may write its workspace and its login, and read its prompt and the objects of the mirror', () => {
    const claude = { path: '/home/ann/.claude', refreshed: ['.credentials.json'], sessions: ['projects'], read: [] };
    const agent = { folders: ['/a/1'], login: ['/home/ann/.local/share/opencode', claude] };
    expect(permissionsFor({ ...of, purpose: 'agent', agent })).toEqual({
      read: ['/m/objects', '/a/1', '/srv/models'],
      write: ['/w', '/home/ann/.local/share/opencode', '/srv/cache'],
      copied: [claude],
      hidden: [],
    });
  });

  test('an agent whose own sandbox is replaced may only read its workspace where that sandbox would allow no more', () => {
    const agent = { folders: ['/a/1'], login: [], isWorkspaceReadOnly: true };
    const { read, write } = permissionsFor({ ...of, purpose: 'agent', agent });
    expect([read.includes('/w'), write]).toEqual([true, ['/srv/cache']]);
  });

  test.each(['check', 'setup', 'application'] as const)('a program for %s has no login and no prompt', (purpose) => {
    const agent = { folders: ['/a/1'], login: ['/home/ann/.claude'] };
    expect(permissionsFor({ ...of, purpose, agent })).toEqual({
      read: ['/m/objects', '/srv/models'],
      write: ['/w', '/srv/cache'],
      copied: [],
      hidden: [],
    });
  });
});
