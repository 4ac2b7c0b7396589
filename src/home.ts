import { existsSync, mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { AppError, errorCode, fromSystemError } from './errors.ts';

/** Every path that Manyhands writes to; all of them are below `root`. */
export type Home = {
  root: string;
  database: string;
  lock: string;
  mirrors: string;
  workspaces: string;
  attempts: string;
  seeds: string;
  checkouts: string;
  /** What was removed and is deleted later. */
  removing: string;
  logs: string;
  folders: string;
  backups: string;
  archives: string;
  bench: string;
  demos: string;
  clones: string;
  exchange: string;
  server: string;
};

const FOLDERS = ['root', 'mirrors', 'workspaces', 'attempts', 'seeds', 'checkouts', 'logs'] as const;

/** The data directory: MANYHANDS_HOME, else the platform's default; creates nothing. */
export function resolveHome(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): Home {
  const root = rootOf(env, platform);
  return {
    root,
    // With PostgreSQL the file is only a copy, and the embedded database remains as it was.
    database: join(root, env.MANYHANDS_DATABASE_URL ? 'read-model.db' : 'manyhands.db'),
    lock: join(root, 'engine.lock'),
    mirrors: join(root, 'mirrors'),
    workspaces: join(root, 'workspaces'),
    attempts: join(root, 'attempts'),
    seeds: join(root, 'seeds'),
    checkouts: join(root, 'checkouts'),
    removing: join(root, 'removing'),
    logs: join(root, 'logs'),
    folders: join(root, 'folders'),
    backups: join(root, 'backups'),
    archives: join(root, 'archives'),
    bench: join(root, 'bench'),
    demos: join(root, 'demos'),
    clones: join(root, 'clones'),
    exchange: join(root, 'exchange.git'),
    server: join(root, 'server'),
  };
}

/** Creates the missing folders, private to this user, and refuses a data directory that others control; call it before writing. */
export async function prepareHome(home: Home): Promise<void> {
  for (const folder of FOLDERS) {
    try {
      makeFolder(home[folder]);
    } catch (error) {
      throw fromSystemError(error, `creating the folder ${home[folder]}`);
    }
    if (folder === 'root') requirePrivate(home.root);
  }
}

/** Users who can write to the data directory control what this user's agents run. */
function requirePrivate(root: string): void {
  const { uid, mode } = statSync(root);
  const user = process.getuid?.();
  if (user !== undefined && uid !== user)
    throw new AppError('DATA_UNSAFE', `The data directory ${root} belongs to another user (uid ${uid})`, {
      home: root,
    });
  if ((mode & 0o022) !== 0)
    throw new AppError('DATA_UNSAFE', `Other users can write to the data directory ${root}`, { home: root });
}

/** On a read-only file system Node's recursive mkdir reports ENOENT; the plain one reports the actual error. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    if (!existsSync(dirname(path))) makeFolder(dirname(path));
    mkdirSync(path, { mode: 0o700 });
  }
}

/** The folder of the user's settings; relative values of XDG variables are ignored, as the standard requires. */
export function configHome(env: NodeJS.ProcessEnv): string {
  return join(absolute(env.XDG_CONFIG_HOME) ?? join(userHome(env), '.config'), 'manyhands');
}

/** The file with the server and the token of `manyhands login`, in a folder of its own that is private to the user. */
export function serverLoginFile(env: NodeJS.ProcessEnv): string {
  return join(configHome(env), 'login', 'server.json');
}

/** The environment in which operations are those of this machine, whatever server the user logged in to. */
export function onThisMachine(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...env, MANYHANDS_SERVER: '' };
}

function rootOf(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  if (env.MANYHANDS_HOME) return resolve(env.MANYHANDS_HOME);
  const data = absolute(env.XDG_DATA_HOME);
  if (data !== undefined) return join(data, 'manyhands');
  if (platform === 'darwin') return join(userHome(env), 'Library', 'Application Support', 'manyhands');
  return join(userHome(env), '.local', 'share', 'manyhands');
}

function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined;
}

function userHome(env: NodeJS.ProcessEnv): string {
  return absolute(env.HOME) ?? homedir();
}
