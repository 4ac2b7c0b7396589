import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { loadConfig } from '../../../config/load.ts';
import { checksOfRun } from '../../../core/project/configured-checks.ts';
import { AppError } from '../../../errors.ts';
import { writeAgentsMd } from '../../../init/agents-md.ts';
import { type Detection, detectProject } from '../../../init/detect.ts';
import { type Choices, defaultChoices } from '../../../init/draft.ts';
import { findForeign, importProject } from '../../../init/import/import-project.ts';
import type { Setting } from '../../../init/import/key-mapping.ts';
import type { CheckProof, InitDocument } from '../../../init/init-document.ts';
import { initProject, makeRepository, repositoryRoot } from '../../../init/init-project.ts';
import { proveChecks } from '../../../init/prove-checks.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { INTERRUPTED } from '../../exit-code.ts';
import type { Session } from '../../platform.ts';
import { oneLine } from '../../render/clean-text.ts';
import { initLines } from '../../render/init-lines.ts';
import { printJson, printLines } from '../../render/output.ts';
import { painter } from '../../render/symbols.ts';
import { resolveDir } from '../../target.ts';
import type { Questions } from '../../terminal/terminal-prompts.ts';

/** The user's decisions about a project that is being set up. */
type Decisions = { choices: Choices; agreed: Setting[] };

const Flags = CommonOptions.extend({
  yes: z.boolean().default(false),
  import: z.boolean().default(false),
  agentsMd: z.boolean().default(false),
  remove: z.boolean().default(false),
  force: z.boolean().default(false),
  dryRun: z.boolean().default(false),
  prove: z.boolean().default(false),
});
type Flags = z.infer<typeof Flags>;

const EXAMPLES = [
  'manyhands init',
  'manyhands init --yes --dry-run',
  'manyhands init --yes --prove',
  'manyhands init --import',
  'manyhands init --agents-md --remove',
  'manyhands init --agents-md --force',
];
const EXIT_CODES = `Exit codes:
  0    the project is set up, whether or not its checks pass
  2    invalid command line
  3    the command failed; the message states the reason, and no existing file was changed
  130  interrupted; nothing was written`;

/** Sets a project up: detects its tools, asks at a terminal, and only writes new files. */
export const initCommand: CliCommand = {
  name: 'init',
  group: 'Maintenance',
  summary: 'set up a project: detect its tools, write its settings',
  define(command, session) {
    command
      .option('-y, --yes', 'use what was detected without asking')
      .option(
        '--import',
        'import the settings of other tools; those of the project take precedence over those in your home folder',
      )
      .option('--agents-md', 'write instructions for agents into a marked block of AGENTS.md and CLAUDE.md')
      .option('--remove', 'with --agents-md: remove them again')
      .option('--force', 'with --agents-md: replace existing files instead of adding to them; a copy is kept')
      .option('--dry-run', 'show what would be written; write nothing')
      .option(
        '--prove',
        'run each proposed check once in your checkout first; failing checks are written as comments if at least one passes',
      );
    addHelp(addDir(addJson(command)), EXAMPLES, EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async (flags) => {
        if (flags.remove && !flags.agentsMd) throw new AppError('USAGE', '--remove requires --agents-md');
        if (flags.force && (!flags.agentsMd || flags.remove))
          throw new AppError(
            'USAGE',
            '--force requires --agents-md, without --remove; settings that exist are kept: change them with manyhands config set',
          );
        const dir = await realpath(await resolveDir(session.platform.terminal, flags.dir));
        const root = await requireRoot(session, dir, flags);
        const document = flags.remove
          ? await removed(session, root, flags)
          : await setUp(session, { root, dir, flags });
        if (document === null) return interrupted(session);
        print(session, document, flags.json);
        return 0;
      },
    });
  },
};

/** The root of the repository; if there is none, the user is offered to create one. */
async function requireRoot({ platform }: Session, dir: string, flags: Flags): Promise<string> {
  const root = await repositoryRoot(dir);
  if (root !== undefined) return root;
  const isInteractive = !flags.yes && !flags.json && !flags.dryRun;
  if (isInteractive && (await platform.confirm(`${dir} is not a git repository. Create one with git init?`)))
    return makeRepository(dir);
  throw new AppError('NOT_A_REPOSITORY', `${dir} is not a git repository; create one with git init`, { dir });
}

type SetupRequest = { root: string; dir: string; flags: Flags };

async function setUp(session: Session, { root, dir, flags }: SetupRequest): Promise<InitDocument | null> {
  const { platform } = session;
  const { env } = platform.terminal;
  const detection = await detectProject(root, { from: dir, path: env.PATH ?? '' });
  const imported = flags.import ? await importProject(root, env) : null;
  const decisions = await decide(session, { detection, held: imported?.held ?? [], flags });
  if (decisions === null) return null;
  const install = installCommand(detection);
  const proof = flags.prove
    ? await prove(session, { root, choices: decisions.choices, isInstalled: install === undefined })
    : undefined;
  const document = await initProject(
    {
      ...decisions,
      choices: proof === undefined ? decisions.choices : withoutFailed(decisions.choices, proof),
      detection,
      imported,
      agentsMd: flags.agentsMd,
      force: flags.force,
      dryRun: flags.dryRun,
      env,
    },
    platform.world,
  );
  const notes = [...document.notes, ...(await notesOf(document, { root, dir, flags }))];
  const failsWithout = proof?.some(({ passed }) => !passed) ? install : undefined;
  return {
    ...document,
    notes,
    ...(proof === undefined ? {} : { proof }),
    ...(failsWithout === undefined ? {} : { install: failsWithout }),
  };
}

/** What installs the dependencies that the checkout lacks: a check that fails without them may pass in a workspace, where the set-up runs first. */
function installCommand({ root, dependencyDirs, setup }: Detection): string | undefined {
  const isComplete = dependencyDirs.every((folder) => existsSync(join(root, folder)));
  return isComplete || setup.length === 0 ? undefined : setup.join(' && ');
}

type Proving = { root: string; choices: Choices; isInstalled: boolean };

/** Runs the checks of the settings, where there are any, else the chosen ones. A failed one is used only if it is in the settings already, if none passes, or if its dependencies are not installed. */
async function prove({ platform }: Session, { root, choices, isInstalled }: Proving): Promise<CheckProof[]> {
  const { env, err } = platform.terminal;
  const configured = checksOfRun(await loadConfig({ dir: root, env }), []).map((check, index) => {
    const { name = `check ${index + 1}`, run } = typeof check === 'string' ? { run: check } : check;
    return { name, run: typeof run === 'string' ? run : run.join(' ') };
  });
  const checks = configured.length > 0 ? configured : choices.checks;
  const onProgress = (line: string) => err(`${oneLine(line)}\n`);
  const proven = await proveChecks({ root, checks, env, onProgress }, platform.world);
  const isEachUsed = configured.length > 0 || !isInstalled || !proven.some(({ passed }) => passed);
  return proven.map((check) => ({ ...check, isUsed: check.passed || isEachUsed }));
}

function withoutFailed(choices: Choices, proof: readonly CheckProof[]): Choices {
  const failed = proof.filter(({ isUsed }) => !isUsed);
  const isKept = ({ run }: { run: string }) => !failed.some((check) => check.run === run);
  return { ...choices, checks: choices.checks.filter(isKept), failed };
}

type DecisionInput = { detection: Awaited<ReturnType<typeof detectProject>>; held: Decisions['agreed']; flags: Flags };

async function decide({ platform }: Session, { detection, held, flags }: DecisionInput): Promise<Decisions | null> {
  const questions = flags.yes || flags.json || flags.dryRun ? undefined : await platform.questions();
  if (questions === undefined) return { choices: defaultChoices(detection), agreed: [] };
  return askDecisions(questions, detection, held);
}

async function notesOf(document: InitDocument, { root, dir, flags }: SetupRequest): Promise<string[]> {
  const foreign = flags.import ? [] : await findForeign(root);
  const isNothingImported = flags.import && document.imported.length === 0;
  return [
    ...(root === dir ? [] : [`settings apply to the whole repository, so they are written to ${root}`]),
    ...(document.detected?.base === null ? ['the repository has no commit; create one before the first run'] : []),
    ...(foreign.length === 0 ? [] : [`found ${foreign.join(', ')}; import it with manyhands init --import`]),
    ...(isNothingImported ? ['no settings of other tools were found'] : []),
  ];
}

async function removed({ platform }: Session, root: string, { dryRun }: Flags): Promise<InitDocument> {
  const files = await writeAgentsMd({ root, remove: true, dryRun }, platform.world);
  return { root, dryRun, detected: null, files, missing: null, imported: [], notes: [] };
}

function interrupted({ platform }: Session): number {
  platform.terminal.err('Nothing was written.\n');
  return INTERRUPTED;
}

function print({ platform: { terminal } }: Session, document: InitDocument, json: boolean): void {
  const colors = painter(terminal.colors.out);
  const width = terminal.isOutputTerminal ? terminal.size().columns : Number.MAX_SAFE_INTEGER;
  if (json) printJson(terminal, document);
  else printLines(terminal, initLines(document, { colors, width }));
  if (document.dryRun) terminal.err('Nothing was written.\n');
  else if (document.detected !== null) terminal.err(`${nextText(document)}\n`);
}

function nextText({ proof = [], install }: InitDocument): string {
  if (install !== undefined)
    return `Next: your checkout has no dependencies, so its checks may fail only here. Install them with ${install}, then run the checks again with manyhands init --prove`;
  const failed = proof.filter(({ passed }) => !passed);
  const used = failed.filter(({ isUsed }) => isUsed);
  if (failed.length === 0) return 'Next: manyhands doctor, then manyhands do "<goal>"';
  if (used.length === 0)
    return `Next: ${named(failed)} and ${failed.length === 1 ? 'is a comment' : 'are comments'} in .manyhands/config.yaml: work is not checked with ${failed.length === 1 ? 'it' : 'them'} until you add ${failed.length === 1 ? 'it' : 'them'} under checks. Then manyhands doctor`;
  return `Next: ${named(used)}, and nothing lands while a check fails: make it pass, or remove it from checks in .manyhands/config.yaml. Then manyhands doctor`;
}

function named(failed: readonly CheckProof[]): string {
  return `${oneLine(failed.map(({ run }) => run).join(', '))} ${failed.length === 1 ? 'fails' : 'fail'}`;
}

/** Asks with what was detected as the default answers; null when the user cancels. */
async function askDecisions(
  questions: Questions,
  detection: Detection,
  held: readonly Setting[],
): Promise<Decisions | null> {
  const choices = defaultChoices(detection);
  const checks = await askChecks(questions, detection);
  if (checks === null) return null;
  const base = await questions.text(
    'Branch that runs start from and land on (empty: the branch that is checked out)',
    '',
  );
  if (base === null) return null;
  const copyFiles = await askMany(questions, {
    question: 'Ignored files to copy into workspaces (agents can read them)',
    options: detection.privateFiles.map((file) => ({ value: file, label: file, isChosen: false })),
  });
  if (copyFiles === null) return null;
  const agreed = await askMany(questions, {
    question: 'Imported settings that give agents more permissions: select those to accept',
    options: held.map((setting, index) => ({
      value: String(index),
      label: oneLine(`${setting.to}: ${JSON.stringify(setting.value)}`),
      hint: oneLine(setting.widens ?? ''),
      isChosen: false,
    })),
  });
  if (agreed === null) return null;
  return {
    choices: { ...choices, checks, copyFiles, base: base === '' ? null : base },
    agreed: held.filter((_, index) => agreed.includes(String(index))),
  };
}

async function askChecks(questions: Questions, { checks }: Detection): Promise<Choices['checks'] | null> {
  const names = await askMany(questions, {
    question: 'Commands that must pass before anything lands',
    options: checks.map(({ name, run, isWanted, missing }) => ({
      value: name,
      label: run,
      hint: missing === undefined ? name : `${missing} is not installed`,
      isChosen: isWanted,
    })),
  });
  if (names === null) return null;
  const more = await questions.text('Another command that must pass (empty: none)', '');
  if (more === null) return null;
  const chosen = checks.filter(({ name }) => names.includes(name));
  return more === '' ? chosen : [...chosen, { name: freeName(names), run: more }];
}

/** Asks only if there are options. */
async function askMany(
  questions: Questions,
  { question, options }: { question: string; options: Parameters<Questions['choose']>[1] },
): Promise<string[] | null> {
  return options.length === 0 ? [] : questions.choose(question, options);
}

function freeName(taken: readonly string[]): string {
  return ['test', 'check', 'more'].find((name) => !taken.includes(name)) ?? 'own';
}
