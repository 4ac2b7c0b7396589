import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { freemem } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { App } from '../../app.ts';
import { loadConfig, loadLayers } from '../../config/load.ts';
import { checksOfRun } from '../../core/project/configured-checks.ts';
import { momentText } from '../../core/view/amounts.ts';
import { lastBackupFailure } from '../../engine/maintenance/automatic-backup.ts';
import { AppError, messageOf } from '../../errors.ts';
import { inspectRepository } from '../../git/read/repository.ts';
import { requireGit } from '../../git/version.ts';
import { type Home, prepareHome } from '../../home.ts';
import { detectProject } from '../../init/detect.ts';
import { tail } from '../../process/tail.ts';
import { findTmux } from '../../process/terminal/tmux.ts';
import { tracingProblem } from '../../process/trace.ts';
import { newestBackupAt } from '../../store/sqlite/backup.ts';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import { type AgentsView, viewAgents } from '../models/view-agents.ts';
import { operation } from '../operation.ts';
import { examineContainment } from './doctor/doctor-containment.ts';
import { examineDatabase, examineMirrors, examineTexts, examineWorkspaces } from './doctor/doctor-data.ts';
import { examineForge } from './doctor/doctor-forge.ts';
import { examineInstallation } from './doctor/doctor-installation.ts';
import { DoctorLine } from './doctor/doctor-line.ts';
import { examineOwnSandboxes } from './doctor/doctor-own-sandbox.ts';
import { examineProject } from './doctor/doctor-project.ts';

/** What is checked, and whether servers on the network are contacted. */
type Examination = { app: App; dir: string; online: boolean };

/** How long the system may take to report a changed file. */
const FILE_EVENT_MS = 2_000;
const MEGABYTE = 1024 * 1024;
const LEAST_MEMORY_MB = 256;

/** Whether an agent in a sandbox can read its own login. */
const LOGIN_TEXTS = { inside: 'its login is visible to it', outside: 'it sees no key: the network proxy adds it' };

const NO_AGENT: DoctorLine = {
  name: 'agents',
  ok: false,
  required: false,
  detail:
    'none is usable here: commands that start agents fail; --rehearse, check, init, and reading or landing earlier runs work',
  fix: 'Install and log in to claude, codex or gemini, or configure another program under agents.',
};

const NO_AGENT_ON_HOSTS: DoctorLine = {
  ...NO_AGENT,
  detail: 'no host has one: tasks wait; manyhands hosts lists the hosts',
  fix: 'Start a host that has an agent: manyhands host --name <name>',
};

/** Checks everything that Manyhands needs; each failed line contains a fix. */
export const doctor = operation({
  name: 'doctor',
  where: 'anywhere',
  toleratesDamage: true,
  summary: 'Check what Manyhands needs',
  http: 'GET /api/doctor',
  allow: ['viewer', 'operator'],
  input: z.object({ dir: z.string(), online: z.boolean().optional() }),
  output: z.array(DoctorLine),
  run: async (app, { dir, online = false }) => {
    const { home, env } = app;
    const examined = { app, dir, online };
    return [
      await check('node', true, () => Promise.resolve(`${process.version} on ${process.platform}`)),
      await check('git', true, requireGit),
      await check('data directory', true, () => dataDirectory(home)),
      ...(await examineInstallation(env)),
      await examineDatabase(app),
      ...(await examineData(app)),
      await examineBackup(app),
      await check('file events', true, () => fileEvents(app)),
      await check('space', true, () => space(home)),
      memory(),
      ...(await examineContainment({ dir, env })),
      await terminals(env),
      await tracing(app),
      await check('repository', false, () => repository(dir)),
      await check('settings', true, () => settings(examined)),
      ...(await examineProject({ dir, env, online })),
      ...(await examineForge({ dir, env, online })),
      ...(await agents(examined)),
    ];
  },
});

async function check(name: string, required: boolean, examine: () => Promise<string>): Promise<DoctorLine> {
  try {
    return { name, ok: true, required, detail: await examine(), fix: null };
  } catch (error) {
    const fix = error instanceof AppError ? error.hint : 'See the message; nothing was changed.';
    return { name, ok: false, required, detail: messageOf(error), fix };
  }
}

async function dataDirectory(home: Home): Promise<string> {
  await prepareHome(home);
  const probe = await mkdtemp(join(home.root, 'doctor-'));
  await rm(probe, { recursive: true });
  return `${home.root} is writable`;
}

/** The contents of the database and the mirrors; a database that cannot be opened is reported by its own line. */
async function examineData({ home, world }: App): Promise<DoctorLine[]> {
  try {
    await using store = await openSqliteStore({ file: home.database, world });
    return [examineTexts(store), await examineMirrors(home, store), await examineWorkspaces(home, store)];
  } catch (error) {
    if (error instanceof AppError) return [];
    throw error;
  }
}

/** Output is followed by file events, which some network file systems do not deliver. */
async function fileEvents({ home, world }: App): Promise<string> {
  const folder = await mkdtemp(join(home.root, 'doctor-'));
  const file = join(folder, 'file');
  await writeFile(file, '');
  const waiting = new AbortController();
  const noticed = Promise.withResolvers<boolean>();
  const following = tail({
    file,
    from: 0,
    onChunk: () => noticed.resolve(true),
    onTruncated: () => {},
    signal: waiting.signal,
  });
  const cancel = world.alarm(world.now() + FILE_EVENT_MS, () => noticed.resolve(false));
  try {
    await following.drained();
    await writeFile(file, 'x', { flag: 'a' });
    if (await noticed.promise) return 'changes to files are reported at once';
    throw new AppError(
      'UNSUPPORTED_SYSTEM',
      `The file system of ${home.root} does not report changed files; set MANYHANDS_HOME to a local disk`,
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

/** With less free memory than this, no attempt starts by default. */
function memory(): DoctorLine {
  const free = Math.round(freemem() / MEGABYTE);
  const ok = free >= LEAST_MEMORY_MB;
  const fix = ok ? null : 'Close programs, or lower limits.freeMemoryMb and limits.agents.';
  return { name: 'memory', ok, required: false, detail: `${free} MB free`, fix };
}

/** Without it, the files that a check uses are found only by reading its scripts. */
async function tracing({ home, env }: App): Promise<DoctorLine> {
  const problem = await tracingProblem(env, home.root);
  return {
    name: 'tracing',
    ok: problem === undefined,
    required: false,
    detail:
      problem === undefined
        ? 'the files that a check uses are confirmed while it runs'
        : `${problem}; the files that a check uses are found only by reading its scripts`,
    fix:
      problem === undefined
        ? null
        : 'On Linux, install strace (apt-get install strace), and allow ptrace in a container.',
  };
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** Interactive agents also work without tmux; with it, their screen is known exactly, and people can attach to it directly. */
async function terminals(env: NodeJS.ProcessEnv): Promise<DoctorLine> {
  const tmux = await findTmux(env);
  const line = { name: 'tmux', required: false };
  if (tmux?.isUsable) return { ...line, ok: true, detail: `${tmux.version}, for interactive agents`, fix: null };
  const detail = tmux === undefined ? 'not found' : `${tmux.version} is too old`;
  const fix = 'Install tmux 3.2 or newer; until then interactive agents use built-in terminals.';
  return { ...line, ok: false, detail, fix };
}

async function repository(dir: string): Promise<string> {
  const found = await inspectRepository(dir);
  return `${found.root} on ${found.branch ?? 'a detached HEAD'} at ${found.head.slice(0, 10)}`;
}

async function settings({ dir, app: { env } }: Examination): Promise<string> {
  const root = await inspectRepository(dir).then(
    (found) => found.root,
    () => dir,
  );
  const { config, ignored } = await loadLayers({ dir: root, env });
  const count = checksOfRun(config, []).length;
  const keys = ignored.map(({ key }) => key).join(', ');
  const effect = keys === '' ? '' : `; without effect in the project's file, only in your own settings: ${keys}`;
  if (count > 0) return `valid; ${counted(count, 'check')}${effect}`;
  const found = (await detectProject(root, { path: env.PATH ?? '' })).checks
    .filter(({ isWanted }) => isWanted)
    .map(({ run }) => run);
  const proposal =
    found.length === 0 ? 'manyhands init finds none either' : `manyhands init would use: ${found.join(', ')}`;
  return `valid; no check is configured; ${proposal}${effect}`;
}

/** Each agent that is configured or known by name: whether it is found, its version and its login; this costs nothing. */
async function agents({ app, dir }: Examination): Promise<DoctorLine[]> {
  try {
    const found = await viewAgents(app, dir);
    const lines = found.agents.map(({ name, ok, detail, nextStep, login }) => ({
      name: `agent ${name}`,
      ok,
      required: false,
      detail: ok && found.config.hosts.git === undefined ? `${detail}; in a sandbox ${LOGIN_TEXTS[login]}` : detail,
      fix: nextStep,
    }));
    const own = await examineOwnSandboxes(app, found);
    return [
      ...lines,
      ...own,
      ...profiles(found.ccswitch),
      ...(found.agents.some(({ ok }) => ok) ? [] : [noAgent(found)]),
    ];
  } catch (error) {
    return [
      { name: 'agents', ok: false, required: false, detail: messageOf(error), fix: 'Correct the settings first.' },
    ];
  }
}

function noAgent({ config }: AgentsView): DoctorLine {
  return config.hosts.git === undefined ? NO_AGENT : NO_AGENT_ON_HOSTS;
}

/** The profiles of CC Switch, if it is installed or configured. */
function profiles({ on, file, note, byAgent }: AgentsView['ccswitch']): DoctorLine[] {
  const found = Object.values(byAgent).flat();
  if (note !== null) {
    const fix = on ? 'Start CC Switch once, or set routing.ccswitch to off.' : null;
    return [{ name: 'CC Switch', ok: false, required: false, detail: note, fix }];
  }
  if (found.length === 0) return [];
  const used = found.filter(({ account }) => account !== null).length;
  const state = on ? `${used} used as logins` : 'not used; routing.ccswitch: auto enables them';
  const detail = `${found.length} ${found.length === 1 ? 'profile' : 'profiles'} in ${file}, ${state}`;
  return [{ name: 'CC Switch', ok: true, required: false, detail, fix: null }];
}

/** Whether the database is backed up regularly; a failed backup is reported here, because no run fails because of it. */
async function examineBackup({ home, env }: { home: Home; env: NodeJS.ProcessEnv }): Promise<DoctorLine> {
  const line = { name: 'backup', required: false };
  const failure = await lastBackupFailure(home);
  const newest = await newestBackupAt(home.backups);
  const last = newest === undefined ? 'none yet' : `the last one at ${momentText(newest)}`;
  if (failure !== undefined) {
    const detail = `failed at ${momentText(failure.at)}: ${failure.message}; ${last}`;
    return { ...line, ok: false, detail, fix: 'Fix the reported error, then run: manyhands backup' };
  }
  const every = await loadConfig({ env }).then(
    ({ backup }) => backup.every,
    // The line about the settings reports what is wrong with them.
    () => undefined,
  );
  const how = every === undefined ? '' : every === 'off' ? ', automatic ones are off' : `, at most one every ${every}`;
  return { ...line, ok: true, detail: `${last}${how}`, fix: null };
}
