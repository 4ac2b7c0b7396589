import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { writeFiles } from '../../support/scratch.ts';

const MAIN = fileURLToPath(new URL('../../../bin/manyhands.mjs', import.meta.url));

type Ended = { code: number | null; stdout: string; stderr: string };

/** A repository, a home folder and a data directory of their own, and the program. */
export interface ModelProject extends AsyncDisposable {
  readonly root: string;
  readonly repo: string;
  mh(...args: string[]): Promise<Ended>;
  json(...args: string[]): Promise<unknown>;
  start(...args: string[]): { ended: Promise<Ended>; kill(): void };
  /** All that the data directory's database holds, as raw text. */
  stored(): string;
}

/** Makes it, with these files in the first commit. */
export function makeModelProject(files: Record<string, string>): ModelProject {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'mh-models-')));
  const repo = join(root, 'project');
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ''}`,
    HOME: root,
    MANYHANDS_HOME: join(root, 'data'),
    NO_COLOR: '1',
  };
  writeFiles(repo, files);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', ...args], { cwd: repo, env });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '--message=Start');
  const start = (...args: string[]) => {
    const child = spawn(process.execPath, [MAIN, ...args], { cwd: repo, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = async (): Promise<Ended> => {
      const [stdout, stderr, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close'),
      ]);
      return { code, stdout, stderr };
    };
    return { ended: ended(), kill: () => void child.kill('SIGKILL') };
  };
  const mh = (...args: string[]) => start(...args).ended;
  return {
    root,
    repo,
    start,
    mh,
    json: async (...args) => {
      const { stdout, stderr } = await mh(...args, '--json');
      try {
        return JSON.parse(stdout);
      } catch {
        throw new Error(`no JSON on stdout: ${stdout}${stderr}`);
      }
    },
    stored: () =>
      readdirSync(join(root, 'data'))
        .filter((name) => name.startsWith('manyhands.db'))
        .map((name) => readFileSync(join(root, 'data', name), 'latin1'))
        .join('\n'),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true, maxRetries: 5 }),
  };
}
