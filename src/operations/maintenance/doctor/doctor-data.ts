import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { App } from '../../../app.ts';
import { momentText } from '../../../core/view/amounts.ts';
import { AppError, messageOf } from '../../../errors.ts';
import { git } from '../../../git/git.ts';
import type { Home } from '../../../home.ts';
import { shellWord } from '../../../process/shim.ts';
import { RunEvent } from '../../../schema/event.ts';
import { runStream } from '../../../schema/ids.ts';
import { databaseDamage, listBackups } from '../../../store/sqlite/backup.ts';
import { openSqliteStore } from '../../../store/sqlite/open.ts';
import type { Store } from '../../../store/store.ts';
import type { DoctorLine } from './doctor-line.ts';

/** What the log names of one project: commits, and the runs that they belong to. */
type NamedCommits = Map<string, string>;

/** A mirror of a large repository takes long to check. */
const FSCK_TIMEOUT_MS = 300_000;
const SHOWN = 5;

/** Whether the database can be opened and no page of it is damaged; if not, the commands that restore a backup. */
export async function examineDatabase(app: App): Promise<DoctorLine> {
  const line = { name: 'database', required: true };
  try {
    return { ...line, ok: true, detail: await intactDatabase(app), fix: null };
  } catch (error) {
    const isDamaged = error instanceof AppError && error.code === 'DATA_DAMAGED';
    const fix = isDamaged ? await recoverySteps(app) : error instanceof AppError ? error.hint : null;
    return { ...line, ok: false, detail: messageOf(error), fix };
  }
}

async function intactDatabase({ home, world }: App): Promise<string> {
  const file = home.database;
  await using store = await openSqliteStore({ file, world });
  const [damage] = ((await databaseDamage(file)) ?? '')
    .split('\n')
    .filter((text) => text !== '' && !text.startsWith('***'));
  if (damage !== undefined) throw new AppError('DATA_DAMAGED', `The database ${file} is damaged: ${damage}`, { file });
  const { length } = store.streams('run/');
  return `${length} ${length === 1 ? 'run' : 'runs'} in ${file}`;
}

/** What to type, one command a line: the damaged files are moved aside, never deleted. */
async function recoverySteps({ home, world, control }: App): Promise<string> {
  const file = shellWord(home.database);
  const aside = shellWord(join(dirname(home.database), `damaged-${world.token().slice(0, 8)}`));
  const backup = await newestIntact(home.backups);
  const restored =
    backup === undefined
      ? [`There is no intact backup in ${home.backups}: the next command starts with an empty database.`]
      : [`Restore the backup of ${momentText(backup.at)}, which lacks everything after it:`];
  return [
    'Run these commands in this order. The damaged files are kept.',
    ...(control === undefined ? [] : ['manyhands stop']),
    `mkdir ${aside} && mv ${file}* ${aside}`,
    ...restored,
    ...(backup === undefined ? [] : [`cp ${shellWord(backup.file)} ${file}`]),
    'manyhands doctor',
  ].join('\n');
}

/** A backup was intact when it was made; the disk may have changed it since. */
async function newestIntact(folder: string): Promise<{ file: string; at: number } | undefined> {
  for (const backup of await listBackups(folder)) if ((await databaseDamage(backup.file)) === undefined) return backup;
  return undefined;
}

/** Whether every stored text has the content that its hash names. */
export function examineTexts(store: Store): DoctorLine {
  const damaged = store.damagedBlobs();
  const ok = damaged.length === 0;
  const detail = ok
    ? 'every stored text has the content that its hash names'
    : `damaged: ${damaged
        .slice(0, SHOWN)
        .map((hash) => hash.slice(0, 12))
        .join(', ')}${damaged.length > SHOWN ? ` and ${damaged.length - SHOWN} more` : ''}`;
  const fix = ok ? null : 'Runs that use these texts cannot be continued. Restore the newest good backup.';
  return { name: 'stored texts', ok, required: true, detail, fix };
}

/** Whether every workspace belongs to a run of the database: one that does not is work that the database has lost. */
export async function examineWorkspaces(home: Home, store: Store): Promise<DoctorLine> {
  const names = await readdir(home.workspaces).catch((): string[] => []);
  const lost = names.filter((name) => {
    const run = /^([0-9a-z]{8})-\d+$/.exec(name)?.[1];
    return run !== undefined && store.read(runStream(run)).length === 0;
  });
  const ok = lost.length === 0;
  const detail = ok
    ? 'every workspace belongs to a run'
    : `${lost.length} of no known run: ${lost.map((name) => join(home.workspaces, name)).join(', ')}`;
  const fix = ok
    ? null
    : `The database lost these runs; agents that still ran for them were ended, and their files are kept. Take the files from there, or restore the newest backup of ${home.backups}.`;
  return { name: 'workspaces', ok, required: false, detail, fix };
}

/** Whether the mirrors hold all commits that the log names, and everything that these need. */
export async function examineMirrors(home: Home, store: Store): Promise<DoctorLine> {
  const problems: string[] = [];
  const projects = namedCommits(store);
  const present = new Set(await readdir(home.mirrors).catch((): string[] => []));
  for (const [project, commits] of projects) {
    const name = `${project}.git`;
    if (!present.has(name)) problems.push(`${name} is missing (${runsOf(commits.values())})`);
    else problems.push(...(await damageOf(join(home.mirrors, name), name, commits)));
  }
  const ok = problems.length === 0;
  const detail = ok
    ? `the commits of ${projects.size === 1 ? '1 project' : `${projects.size} projects`} are complete`
    : problems.join('; ');
  const fix = ok
    ? null
    : 'A mirror is rebuilt from the repository and the workspaces when one of its runs is continued (manyhands resume <run>); what cannot be recovered is named then.';
  return { name: 'mirrors', ok, required: true, detail, fix };
}

async function damageOf(dir: string, name: string, commits: NamedCommits): Promise<string[]> {
  try {
    const args = ['fsck', '--connectivity-only', '--no-dangling', '--no-progress', ...commits.keys()];
    const { code, stdout, stderr } = await git(args, {
      gitDir: dir,
      timeoutMs: FSCK_TIMEOUT_MS,
      allow: [0, 1, 2, 3, 128],
    });
    if (code === 0) return [];
    const lines = `${stdout}\n${stderr}`.split('\n').filter((line) => line.trim() !== '');
    const affected = [...commits]
      .filter(([commit]) => lines.some((line) => line.includes(commit)))
      .map(([, run]) => run);
    const whose = affected.length > 0 ? ` (${runsOf(affected)})` : '';
    return [`${name} is incomplete${whose}: ${lines.slice(0, SHOWN).join(', ')}`];
  } catch (error) {
    return [`${name} could not be checked: ${messageOf(error)}`];
  }
}

function runsOf(runs: Iterable<string>): string {
  const ids = [...new Set(runs)];
  return `${ids.length === 1 ? 'run' : 'runs'} ${ids.slice(0, SHOWN).join(', ')}${ids.length > SHOWN ? ', …' : ''}`;
}

function namedCommits(store: Store): Map<string, NamedCommits> {
  const projects = new Map<string, NamedCommits>();
  for (const { stream } of store.streams('run/')) {
    let run = '';
    let commits: NamedCommits = new Map();
    for (const { type, data } of store.readTypes(stream, ['run.started', 'attempt.ended', 'tasks.landed'])) {
      const event = RunEvent.safeParse({ type, data }).data;
      if (event?.type === 'run.started') {
        run = event.data.run;
        commits = projects.get(event.data.project.id) ?? new Map<string, string>();
        projects.set(event.data.project.id, commits);
      } else if (event?.type === 'attempt.ended' && event.data.saved !== undefined)
        commits.set(event.data.saved.commit, run);
      else if (event?.type === 'tasks.landed') commits.set(event.data.commit, run);
    }
  }
  return projects;
}
