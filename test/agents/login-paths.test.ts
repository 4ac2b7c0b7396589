import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { claudeLogin, codexLogin, geminiLogin } from '../../src/agents/login-paths.ts';
import { temporaryFolder } from '../process/launching.ts';

const sessionsOf = ([folder]: ReturnType<typeof claudeLogin>) => (typeof folder === 'object' ? folder.sessions : []);

test("the sessions of Claude Code and Gemini in a workspace are shown, and not those of the person's other projects", () => {
  const workspace = join(temporaryFolder(), 'ab_1.x-1');
  const link = join(temporaryFolder(), 'link');
  mkdirSync(workspace);
  symlinkSync(workspace, link);
  const encoded = (path: string) => `projects/${path.replaceAll(/[^a-zA-Z0-9]/g, '-')}`;
  expect(sessionsOf(claudeLogin({ home: '/h', workspace }))).toEqual([encoded(workspace)]);
  expect(sessionsOf(claudeLogin({ home: '/h', workspace: link }))).toEqual([encoded(link), encoded(workspace)]);
  expect(sessionsOf(geminiLogin('/h/.gemini', workspace))).toEqual([
    'tmp/ab-1-x-1',
    expect.stringMatching(/^tmp\/[0-9a-f]{64}$/),
    'history/ab-1-x-1',
  ]);
});

test('the sessions of Codex of these days, and that of the day of a resumed one, are shown', () => {
  const home = temporaryFolder();
  const now = Date.parse('2026-03-01T01:00:00Z');
  const thread = '019460c0-3c00-7000-8000-000000000000';
  const day = 'sessions/2025/01/13';
  mkdirSync(join(home, day), { recursive: true });
  writeFileSync(join(home, day, `rollout-2025-01-13T00-00-00-${thread}.jsonl`), '');
  const days = ['sessions/2026/02/28', 'sessions/2026/03/01', 'sessions/2026/03/02', 'sessions/2026/03/03'];
  expect(sessionsOf(codexLogin(home, { now }))).toEqual(days);
  expect(sessionsOf(codexLogin(home, { now, session: thread }))).toEqual([...days, day]);
  expect(sessionsOf(codexLogin(home))).toEqual([]);
});
