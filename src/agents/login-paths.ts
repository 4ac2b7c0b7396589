import { createHash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { LoginFolder, LoginPath } from '../schema/config/sandbox.ts';
import { DAY_MS, findRollout, rolloutFolder } from './codex/codex-rollout.ts';

/** Days of any time zone while an attempt runs. */
const AROUND_TODAY = [-1, 0, 1, 2];

/** Claude Code; `.claude.json` holds its settings and servers beside its state, so it is only copied. */
export function claudeLogin(folders: { home: string; workspace: string; configDir?: string | undefined }): LoginPath[] {
  const { home, workspace, configDir } = folders;
  const folder: LoginFolder = {
    path: configDir || join(home, '.claude'),
    refreshed: ['.credentials.json'],
    sessions: [...new Set([workspace, realPathOf(workspace)].map(claudeSessions))],
    read: ['agents', 'commands', 'hooks', 'local', 'output-styles', 'plugins', 'rules', 'skills'],
  };
  return configDir ? [folder] : [folder, copied(join(home, '.claude.json'))];
}

/** Where Claude Code keeps the sessions of a folder; those beside it are of the person's other projects. */
function claudeSessions(folder: string): string {
  return join('projects', folder.replaceAll(/[^a-zA-Z0-9]/g, '-'));
}

/** Codex; its rollout files are its sessions, in a folder for each day: shown are those of today and of the session that is resumed. */
export function codexLogin(path: string, at?: { now: number; session?: string | undefined }): LoginPath[] {
  const resumed = at?.session === undefined ? undefined : findRollout(path, at.session);
  const days = at === undefined ? [] : AROUND_TODAY.map((days) => rolloutFolder(at.now + days * DAY_MS));
  return [
    {
      path,
      refreshed: ['auth.json'],
      sessions: [...new Set([...days, ...(resumed === undefined ? [] : [relative(path, dirname(resumed))])])],
      read: ['agents', 'packages', 'plugins', 'prompts', 'rules', 'skills'],
    },
  ];
}

/** Gemini CLI: the user's own folder; its sessions are in folders with the name of a project or, in older versions, its hash. */
export function geminiLogin(path: string, workspace: string): LoginPath[] {
  const slug = basename(workspace)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  const name = slug || 'project';
  const hash = createHash('sha256').update(workspace).digest('hex');
  return [
    {
      path,
      refreshed: ['oauth_creds.json', 'google_accounts.json', 'mcp-oauth-tokens.json', 'mcp-oauth-tokens-v2.json'],
      sessions: [join('tmp', name), join('tmp', hash), join('history', name)],
      read: [],
    },
  ];
}

/** Opencode keeps sessions in a database of its data folder. */
export function opencodeLogin(home: string): LoginPath[] {
  const read = ['agent', 'agents', 'command', 'commands', 'plugin', 'plugins', 'skill', 'skills', 'themes', 'tools'];
  return [
    join(home, '.local/share/opencode'),
    join(home, '.local/state/opencode'),
    join(home, '.cache/opencode'),
    { path: join(home, '.config/opencode'), refreshed: [], sessions: [], read },
  ];
}

function realPathOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

function copied(path: string): LoginFolder {
  return { path, refreshed: [], sessions: [], read: [] };
}
