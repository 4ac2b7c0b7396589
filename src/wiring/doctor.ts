import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { freemem } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../config/load.ts';
import { AppError, messageOf } from '../errors.ts';
import { inspectRepository } from '../git/repository.ts';
import { requireGit } from '../git/version.ts';
import { type Home, prepareHome } from '../home.ts';
import type { AgentsView } from '../operations/ports.ts';
import { tail } from '../process/tail.ts';
import { containment } from '../process/terminate.ts';
import type { DoctorLine } from '../schema/operation.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import type { World } from '../world.ts';

export type Examination = {
  home: Home;
  env: NodeJS.ProcessEnv;
  dir: string;
  world: World;
  view(dir: string): Promise<AgentsView>;
};

/** How long the system may take to tell of a changed file before it is taken for deaf. */
const FILE_EVENT_MS = 2_000;
const MEGABYTE = 1024 * 1024;

/** Looks at everything that Manyhands needs; each line that is not in order says how to mend it. */
export async function examine(what: Examination): Promise<DoctorLine[]> {
  return [
    await check('node', true, () => Promise.resolve(`${process.version} on ${process.platform}`)),
    await check('git', true, requireGit),
    await check('data directory', true, () => dataDirectory(what.home)),
    await check('database', true, () => database(what)),
    await check('file events', true, () => fileEvents(what)),
    await check('space', true, () => space(what.home)),
    await check('memory', false, () => Promise.resolve(`${Math.round(freemem() / MEGABYTE)} MB free`)),
    contained(),
    await check('repository', false, () => repository(what.dir)),
    await check('settings', true, () => settings(what)),
    ...(await agents(what)),
  ];
}

async function check(name: string, required: boolean, look: () => Promise<string>): Promise<DoctorLine> {
  try {
    return { name, ok: true, required, detail: await look(), fix: null };
  } catch (error) {
    const fix = error instanceof AppError ? error.hint : 'See the message; nothing was changed.';
    return { name, ok: false, required, detail: messageOf(error), fix };
  }
}

async function dataDirectory(home: Home): Promise<string> {
  await prepareHome(home);
  const probe = await mkdtemp(join(home.root, 'doctor-'));
  await rm(probe, { recursive: true });
  return `${home.root} can be written`;
}

async function database({ home, world }: Examination): Promise<string> {
  await using store = await openSqliteStore({ file: home.database, world });
  return `${store.streams('run/').length} runs in ${home.database}`;
}

/** Output is followed by file events: on some network file systems they never come. */
async function fileEvents({ home, world }: Examination): Promise<string> {
  const folder = await mkdtemp(join(home.root, 'doctor-'));
  const file = join(folder, 'file');
  await writeFile(file, '');
  const waiting = new AbortController();
  const heard = Promise.withResolvers<boolean>();
  const following = tail({
    file,
    from: 0,
    onChunk: () => heard.resolve(true),
    onTruncated: () => {},
    signal: waiting.signal,
  });
  const cancel = world.alarm(world.now() + FILE_EVENT_MS, () => heard.resolve(false));
  try {
    await following.drained();
    await writeFile(file, 'x', { flag: 'a' });
    if (await heard.promise) return 'changes to files are noticed at once';
    throw new AppError(
      'UNSUPPORTED_SYSTEM',
      `The file system of ${home.root} tells nothing about changed files; set MANYHANDS_HOME to a local disk`,
    );
  } finally {
    cancel();
    following.close();
    waiting.abort();
    await rm(folder, { recursive: true, force: true });
  }
}

async function space(home: Home): Promise<string> {
  const { bavail, bsize } = await statfs(home.root);
  const free = Math.round((bavail * bsize) / MEGABYTE);
  if (free < 1024) throw new AppError('NO_SPACE', `Only ${free} MB are free at ${home.root}`);
  return `${Math.round(free / 1024)} GB free`;
}

/** Agents that hide their children on purpose are contained only where the system offers it; that is said, not required. */
function contained(): DoctorLine {
  const { kind, detail } = containment();
  const fix =
    kind === 'cgroup'
      ? null
      : 'On Linux, run where a cgroup v2 folder can be written (for example a systemd user session).';
  return { name: 'containment', ok: kind === 'cgroup', required: false, detail, fix };
}

async function repository(dir: string): Promise<string> {
  const found = await inspectRepository(dir);
  return `${found.root} on ${found.branch ?? 'a detached HEAD'} at ${found.head.slice(0, 10)}`;
}

async function settings({ dir, env }: Examination): Promise<string> {
  const root = await inspectRepository(dir).then(
    (found) => found.root,
    () => dir,
  );
  const { checks } = await loadConfig({ dir: root, env });
  return checks.length === 0 ? 'valid; no check is configured' : `valid; ${checks.length} checks`;
}

/** Each agent that is configured or known by name: found, its version, logged in; asking spends nothing. */
async function agents({ dir, view }: Examination): Promise<DoctorLine[]> {
  try {
    const found = await view(dir);
    return found.agents.map(({ name, ok, detail, nextStep }) => ({
      name: `agent ${name}`,
      ok,
      required: false,
      detail,
      fix: nextStep,
    }));
  } catch (error) {
    return [
      { name: 'agents', ok: false, required: false, detail: messageOf(error), fix: 'Correct the settings first.' },
    ];
  }
}
