import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ASSISTANTS } from '../../src/mcp/install/assistants.ts';
import type { ModelServer } from './model-server.ts';

/** A home and a repository with one commit, for one real agent. */
export interface Sandbox extends AsyncDisposable {
  readonly root: string;
  readonly home: string;
  readonly workspace: string;
  /** All that a program may see: nothing of ours, and no way out of this machine. */
  readonly env: Record<string, string>;
  git(...args: string[]): string;
}

/** Where the homes of agents are: not in the temporary folder, below which Codex creates no helper for its sandbox, and in which it may write. */
export const HOMES = '/var/tmp';

/** Gemini asks nobody but the model, and takes the key from its variable, only if its own settings say so. */
export function geminiSettings(maxAttempts: number) {
  return {
    security: { auth: { selectedType: 'gemini-api-key' } },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts },
  };
}

/** Writes settings of a program into a home; an MCP server that its user added stays. */
export async function writeSettings(home: string, path: string, text: string): Promise<void> {
  const file = join(home, path);
  await mkdir(dirname(file), { recursive: true });
  const assistant = ASSISTANTS.find((each) => each.file({ HOME: home }) === file);
  const entry = assistant === undefined || !existsSync(file) ? undefined : assistant.read(readFileSync(file, 'utf8'));
  await writeFile(file, assistant === undefined || entry === undefined ? text : assistant.write(text, entry));
}

/** Makes a workplace on whose programs the server's traps are set; it goes away with what is in it. */
export async function makeSandbox(server: ModelServer): Promise<Sandbox> {
  const root = await realpath(await mkdtemp(join(HOMES, 'mh-real-')));
  const [home, workspace, temporary] = [join(root, 'home'), join(root, 'workspace'), join(root, 'tmp')];
  for (const folder of [home, workspace, temporary, join(home, '.gemini')]) await mkdir(folder);
  await writeFile(join(home, '.gemini', 'settings.json'), JSON.stringify(geminiSettings(2)));
  const env = {
    PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    HOME: home,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    TMPDIR: temporary,
    ...server.proxyEnv,
  };
  const git = (...args: string[]) => execFileSync('git', args, { cwd: workspace, env, encoding: 'utf8' }).trim();
  git('init', '--quiet', '--initial-branch=main');
  git('config', 'user.name', 'Ann');
  git('config', 'user.email', 'ann@example.org');
  git('commit', '--quiet', '--allow-empty', '--message=Start');
  const remove = () => rm(root, { recursive: true, force: true, maxRetries: 5 });
  return { root, home, workspace, env, git, [Symbol.asyncDispose]: remove };
}
