import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { AppError } from '../../../errors.ts';
import { resolveHome } from '../../../home.ts';
import { detectProject } from '../../../init/detect.ts';
import { defaultChoices } from '../../../init/draft.ts';
import { type Imported, importProject } from '../../../init/import/import-project.ts';
import { initProject, repositoryRoot } from '../../../init/init-project.ts';
import { backUpBeforeMigration, type DatabaseAge, databaseAge } from '../../../operations/maintenance/backup.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import type { Session } from '../../platform.ts';
import { oneLine } from '../../render/clean-text.ts';
import { printJson, printLines, tableLines } from '../../render/output.ts';
import { resolveDir } from '../../target.ts';

const Flags = CommonOptions.extend({ apply: z.boolean().default(false) });
type Flags = z.infer<typeof Flags>;

const EXAMPLES = ['manyhands migrate', 'manyhands migrate --apply'];

/** Something that an older version or another tool left, and what happens to it. */
type MigrationItem = { what: string; path: string; action: 'migrate' | 'import' | 'run' | 'keep'; detail: string };
type Migration = { items: MigrationItem[]; applied: boolean; backup: string | null; written: string[] };

const COLUMNS = [{ title: 'ACTION' }, { title: 'WHAT' }, { title: 'PATH' }, { title: 'DETAIL' }];

const NO_HISTORY = 'runs of another tool have no events and checks that prove them; they stay where they are';
/** Records of other tools in a project, which only those tools read. */
const FOREIGN_RECORDS: readonly (readonly [string, string])[] = [
  ['orchestrator_runs', NO_HISTORY],
  ['.orchestrator_spill', NO_HISTORY],
  ['.claude-orchestrator/.state.json', NO_HISTORY],
  ['.agent-workspace/claude-code-orchestrator/runs', NO_HISTORY],
  ['.orchestrator/progress.txt', 'the setting progress names it, so that runs continue to write it'],
];
/** Work files of other tools, which are run as they are. */
const FOREIGN_WORK = ['features.json', 'tasks.jsonl', 'task_config.yaml', 'workflow.yaml', 'dag.toml'];

/** Migrates what an older version or another tool left; only lists it without --apply. */
export const migrateCommand: CliCommand = {
  name: 'migrate',
  group: 'Maintenance',
  summary: 'migrate data of an older version and settings of other tools',
  define(command, session) {
    command.option('--apply', 'back up and migrate the database, import settings; without it nothing is changed');
    addHelp(addDir(addJson(command)), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async (flags) => {
        const { terminal } = session.platform;
        const migration = await migrate(session, flags);
        if (flags.json) printJson(terminal, migration);
        else print(session, migration);
        return 0;
      },
    });
  },
};

async function migrate(session: Session, { apply, dir: given }: Flags): Promise<Migration> {
  const { terminal, world, openCaller } = session.platform;
  const dir = await resolveDir(terminal, given);
  const home = resolveHome(terminal.env);
  const database = databaseAge(home);
  const root = await repositoryRoot(dir);
  const imported = root === undefined ? null : await importProject(root, terminal.env);
  const items = [...databaseItems(database), ...(root === undefined ? [] : projectItems(root, imported))];
  if (!apply) return { items, applied: false, backup: null, written: [] };
  if (database.status === 'newer')
    throw new AppError('DATA_NEWER', `The database ${database.file} has version ${database.version}`, database);
  const isOlder = database.status === 'older';
  const backup = isOlder ? await backUpBeforeMigration(home, world) : null;
  if (isOlder) {
    await using caller = await openCaller(terminal.env);
    // Reading anything opens the database, which migrates it.
    await caller.call('list-projects', {});
  }
  const written =
    root === undefined || !hasSettings(imported) ? [] : await importSettings(session, { root, dir, imported });
  return { items, applied: true, backup, written };
}

function databaseItems(database: DatabaseAge): MigrationItem[] {
  const { file: path, status } = database;
  if (status === 'missing' || status === 'current') return [];
  const versions = `version ${database.version}; this program uses version ${database.supported}`;
  if (status === 'newer') return [{ what: 'database', path, action: 'keep', detail: `${versions}: upgrade first` }];
  return [{ what: 'database', path, action: 'migrate', detail: `${versions}; a backup is made first` }];
}

function projectItems(root: string, imported: Imported | null): MigrationItem[] {
  const files = Map.groupBy(imported?.entries ?? [], ({ file }) => file);
  const settings = [...files].map(([path, entries]): MigrationItem => {
    const count = (fate: string) => entries.filter((entry) => entry.fate === fate).length;
    const detail = `${count('mapped')} settings are imported, ${count('held')} need your consent (manyhands init --import), ${count('ignored') + count('unknown')} have no equivalent`;
    return { what: 'settings of another tool', path, action: count('mapped') > 0 ? 'import' : 'keep', detail };
  });
  const exists = (path: string) => existsSync(join(root, path));
  const work = FOREIGN_WORK.filter(exists).map((path): MigrationItem => {
    return { what: 'work file', path, action: 'run', detail: `it is used as it is: manyhands run ${path} --dry-run` };
  });
  const records = FOREIGN_RECORDS.filter(([path]) => exists(path)).map(([path, detail]): MigrationItem => {
    return { what: 'records of another tool', path, action: 'keep', detail };
  });
  return [...settings, ...work, ...records];
}

function hasSettings(imported: Imported | null): imported is Imported {
  return imported?.entries.some(({ fate }) => fate === 'mapped') === true;
}

/** The same as init --yes --import: existing files are kept, and nothing that needs consent is set. */
async function importSettings(
  { platform }: Session,
  { root, dir, imported }: { root: string; dir: string; imported: Imported },
): Promise<string[]> {
  const detection = await detectProject(root, { from: dir });
  const { files } = await initProject(
    {
      detection,
      choices: defaultChoices(detection),
      agreed: [],
      imported,
      agentsMd: false,
      dryRun: false,
      env: platform.terminal.env,
    },
    platform.world,
  );
  return files.filter(({ action }) => action === 'written').map(({ path }) => path);
}

function print({ platform: { terminal } }: Session, { items, applied, backup, written }: Migration): void {
  const rows = items.map(({ action, what, path, detail }) => [action, what, oneLine(path), oneLine(detail)]);
  if (rows.length > 0) printLines(terminal, tableLines(COLUMNS, rows, Number.MAX_SAFE_INTEGER));
  if (items.length === 0) terminal.err('There is nothing to migrate.\n');
  else if (!applied) terminal.err('Nothing was changed; add --apply to migrate and import.\n');
  if (backup !== null) terminal.err(`The database is migrated; the backup is ${backup}\n`);
  if (written.length > 0) terminal.err(`Written: ${written.join(', ')}\n`);
}
