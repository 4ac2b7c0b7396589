import { join } from 'node:path';
import type { LoginFolder, LoginPath } from '../schema/config/sandbox.ts';

/** Claude Code; `.claude.json` holds its settings and servers beside its state, so it is only copied. */
export function claudeLogin(folders: { home: string; configDir?: string | undefined }): LoginPath[] {
  const { home, configDir } = folders;
  const folder: LoginFolder = {
    path: configDir || join(home, '.claude'),
    refreshed: ['.credentials.json'],
    sessions: ['projects'],
    read: ['agents', 'commands', 'hooks', 'local', 'output-styles', 'plugins', 'rules', 'skills'],
  };
  return configDir ? [folder] : [folder, copied(join(home, '.claude.json'))];
}

/** Codex; its rollout files are its sessions. */
export function codexLogin(path: string): LoginPath[] {
  return [
    {
      path,
      refreshed: ['auth.json'],
      sessions: ['sessions'],
      read: ['agents', 'packages', 'plugins', 'prompts', 'rules', 'skills'],
    },
  ];
}

/** Gemini CLI: the user's own folder. */
export function geminiLogin(path: string): LoginPath[] {
  return [
    {
      path,
      refreshed: ['oauth_creds.json', 'google_accounts.json', 'mcp-oauth-tokens.json', 'mcp-oauth-tokens-v2.json'],
      sessions: ['tmp', 'history'],
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

function copied(path: string): LoginFolder {
  return { path, refreshed: [], sessions: [], read: [] };
}
