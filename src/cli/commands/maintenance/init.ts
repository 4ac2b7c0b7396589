import { realpath } from 'node:fs/promises';
import { z } from 'zod';
import { AppError } from '../../../errors.ts';
import { writeAgentsMd } from '../../../init/agents-md.ts';
import { detectProject } from '../../../init/detect.ts';
import { defaultChoices } from '../../../init/draft.ts';
import { findForeign, importProject } from '../../../init/import/import-project.ts';
import { initProject, makeRepository, repositoryRoot } from '../../../init/init-project.ts';
import type { InitDocument } from '../../../schema/init.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { INTERRUPTED } from '../../exit-code.ts';
import type { Session } from '../../platform.ts';
import { initLines } from '../../render/init-lines.ts';
import { printJson, printLines } from '../../render/output.ts';
import { painter } from '../../render/symbols.ts';
import { askDecisions, type Decisions } from '../../start/init-questions.ts';
import { resolveDir } from '../../target.ts';

const Flags = CommonOptions.extend({
  yes: z.boolean().default(false),
  import: z.boolean().default(false),
  agentsMd: z.boolean().default(false),
  remove: z.boolean().default(false),
  dryRun: z.boolean().default(false),
});
type Flags = z.infer<typeof Flags>;

const EXAMPLES = [
  'manyhands init',
  'manyhands init --yes --dry-run',
  'manyhands init --import',
  'manyhands init --agents-md --remove',
];
const EXIT_CODES = `Exit codes:
  0    the project is set up, or was before
  2    the command was not understood
  3    it could not be done; the message says why, and nothing was replaced
  130  interrupted; nothing was written`;

/** Sets a project up: looks at it, asks where there is somebody to ask, and writes new files only. */
export const initCommand: CliCommand = {
  name: 'init',
  group: 'Maintenance',
  summary: 'set a project up: look at it, write its settings',
  define(command, session) {
    command
      .option('-y, --yes', 'take what was found without asking')
      .option('--import', 'read the settings of other tools, those of the project before those of your home folder')
      .option('--agents-md', 'put instructions for agents into AGENTS.md and CLAUDE.md, between marks')
      .option('--remove', 'with --agents-md: take them out again')
      .option('--dry-run', 'show what would be written, and write nothing');
    addHelp(addDir(addJson(command)), EXAMPLES, EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async (flags) => {
        if (flags.remove && !flags.agentsMd) throw new AppError('USAGE', '--remove goes with --agents-md only');
        const dir = await realpath(await resolveDir(session.platform.terminal, flags.dir));
        const root = await requireRoot(session, dir, flags);
        const document = flags.remove
          ? await removed(session, root, flags)
          : await setUp(session, { root, dir, flags });
        if (document === null) return broken(session);
        print(session, document, flags.json);
        return 0;
      },
    });
  },
};

/** The top of the repository; where there is none, a person is offered to make one. */
async function requireRoot({ platform }: Session, dir: string, flags: Flags): Promise<string> {
  const root = await repositoryRoot(dir);
  if (root !== undefined) return root;
  const isAsked = !flags.yes && !flags.json && !flags.dryRun;
  if (isAsked && (await platform.confirm(`${dir} is no git repository. Make it one with git init?`)))
    return makeRepository(dir);
  throw new AppError('NOT_A_REPOSITORY', `${dir} is no git repository; make it one with git init`, { dir });
}

type Asked = { root: string; dir: string; flags: Flags };

async function setUp(session: Session, { root, dir, flags }: Asked): Promise<InitDocument | null> {
  const { platform } = session;
  const detection = await detectProject(root, dir);
  const imported = flags.import ? await importProject(root, platform.terminal.env) : null;
  const decisions = await decide(session, { detection, held: imported?.held ?? [], flags });
  if (decisions === null) return null;
  const document = await initProject(
    {
      ...decisions,
      detection,
      imported,
      agentsMd: flags.agentsMd,
      dryRun: flags.dryRun,
      env: platform.terminal.env,
    },
    platform.world,
  );
  return { ...document, notes: [...document.notes, ...(await hints(document, { root, dir, flags }))] };
}

type Deciding = { detection: Awaited<ReturnType<typeof detectProject>>; held: Decisions['agreed']; flags: Flags };

async function decide({ platform }: Session, { detection, held, flags }: Deciding): Promise<Decisions | null> {
  const questions = flags.yes || flags.json || flags.dryRun ? undefined : await platform.questions();
  if (questions === undefined) return { choices: defaultChoices(detection), agreed: [] };
  return askDecisions(questions, detection, held);
}

async function hints(document: InitDocument, { root, dir, flags }: Asked): Promise<string[]> {
  const foreign = flags.import ? [] : await findForeign(root);
  const nothing = flags.import && document.imported.length === 0;
  return [
    ...(root === dir ? [] : [`settings belong to the whole repository: they stand in ${root}`]),
    ...(document.detected?.base === null ? ['there is no commit yet: make one before the first run'] : []),
    ...(foreign.length === 0 ? [] : [`found ${foreign.join(', ')}: manyhands init --import reads them`]),
    ...(nothing ? ['no settings of another tool were found to import'] : []),
  ];
}

async function removed({ platform }: Session, root: string, { dryRun }: Flags): Promise<InitDocument> {
  const files = await writeAgentsMd({ root, remove: true, dryRun }, platform.world);
  return { root, dryRun, detected: null, files, missing: null, imported: [], notes: [] };
}

function broken({ platform }: Session): number {
  platform.terminal.err('Nothing was written.\n');
  return INTERRUPTED;
}

function print({ platform: { terminal } }: Session, document: InitDocument, json: boolean): void {
  const colors = painter(terminal.colors.out);
  const width = terminal.isOutputTerminal ? terminal.size().columns : Number.MAX_SAFE_INTEGER;
  if (json) printJson(terminal, document);
  else printLines(terminal, initLines(document, { colors, width }));
  if (document.dryRun) terminal.err('Nothing was written.\n');
  else if (document.detected !== null) terminal.err('Next: manyhands doctor, then manyhands do "<goal>"\n');
}
