import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { AppError, messageOf } from '../../../errors.ts';
import { run } from '../../../process/run.ts';
import { addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { cleanText } from '../../render/clean-text.ts';
import { printJson, printLines } from '../../render/output.ts';

const Flags = CommonOptions.extend({ check: z.boolean().default(true) });

/** What `upgrade` found; nothing of it is applied. */
type Upgrade = {
  installed: string;
  newest: string;
  isNewer: boolean;
  /** What the newer versions changed, from their changelog; null where there is none. */
  changes: string | null;
  /** The command that installs the newest version. */
  how: string;
};

type Npm = (args: readonly string[]) => Promise<string>;

const PACKAGE = 'manyhands';
const EXAMPLES = ['manyhands upgrade --check', 'manyhands upgrade --check --json'];
const NPM_MS = 60_000;
const VERSION = /^(\d+)\.(\d+)\.(\d+)(-[\w.-]+)?$/;
const HEADING = /^## \[?v?(\d+\.\d+\.\d+(?:-[\w.-]+)?)\]?/;

/** Reports whether there is a newer version, what changed, and how to install it. */
export const upgradeCommand: CliCommand = {
  name: 'upgrade',
  group: 'Maintenance',
  summary: 'report the newest version, what changed, and how to install it',
  define(command, session) {
    command.option('--check', 'only report; this is the default, and nothing is ever installed by this command');
    addHelp(addJson(command), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async ({ json }) => {
        const { terminal, version } = session.platform;
        const found = await findUpgrade(version, terminal.env);
        if (json) printJson(terminal, found);
        else printLines(terminal, linesOf(found));
        return 0;
      },
    });
  },
};

/** Asks the registry of the user's npm, with its proxy and login. */
async function findUpgrade(installed: string, env: NodeJS.ProcessEnv): Promise<Upgrade> {
  const folder = await mkdtemp(join(tmpdir(), 'manyhands-upgrade-'));
  try {
    const npm = npmIn(folder, env);
    const newest = z
      .string()
      .regex(VERSION)
      .parse(JSON.parse(await npm(['view', PACKAGE, 'dist-tags.latest', '--json'])));
    const isNewer = compareVersions(newest, installed) > 0;
    const changes = isNewer ? changesBetween(await changelogOf(newest, folder, npm).catch(() => ''), installed) : null;
    return { installed, newest, isNewer, changes, how: howToInstall(newest) };
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('UPGRADE_UNKNOWN', `The newest version could not be found: ${messageOf(error)}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function npmIn(folder: string, env: NodeJS.ProcessEnv): Npm {
  const inherited = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  const options = { cwd: folder, env: Object.fromEntries(inherited), timeoutMs: NPM_MS };
  return async (args) => {
    const ended = await run(['npm', ...args, '--fetch-retries=0', '--no-audit', '--no-update-notifier'], options);
    if (ended.code === 0) return ended.stdout.toString('utf8');
    const reason = ended.timedOut ? `no answer within ${NPM_MS / 1000} s` : firstError(ended.stderr);
    throw new AppError('UPGRADE_UNKNOWN', `The newest version could not be found: npm: ${reason}`);
  };
}

function firstError(stderr: string): string {
  const lines = stderr.split('\n').map((line) => line.replace(/^npm (?:ERR!|error) */, '').trim());
  return lines.find((line) => line !== '' && !/^(?:code|errno|syscall|type|npm warn)\b/i.test(line)) ?? 'it failed';
}

/** The changelog of a published version, from its package, which is not installed. */
async function changelogOf(version: string, folder: string, npm: Npm): Promise<string> {
  const packed = await npm([
    'pack',
    `${PACKAGE}@${version}`,
    '--json',
    '--ignore-scripts',
    `--pack-destination=${folder}`,
  ]);
  const [file] = z.array(z.object({ filename: z.string() })).parse(JSON.parse(packed));
  const tar = ['tar', '-xOzf', join(folder, file?.filename ?? ''), 'package/CHANGELOG.md'];
  const { code, stdout } = await run(tar, { env: { PATH: process.env.PATH ?? '' }, timeoutMs: NPM_MS });
  return code === 0 ? stdout.toString('utf8') : '';
}

/** The sections of a changelog about versions that are newer than the installed one. */
function changesBetween(changelog: string, installed: string): string | null {
  let isNewer = false;
  const kept = changelog.split('\n').filter((line) => {
    const version = HEADING.exec(line)?.[1];
    if (version !== undefined) isNewer = compareVersions(version, installed) > 0;
    else if (line.startsWith('## ')) isNewer = false;
    return isNewer;
  });
  return kept.length === 0 ? null : kept.join('\n').trim();
}

/** Negative, zero or positive, as for sorting; a prerelease comes before its version. */
function compareVersions(a: string, b: string): number {
  const [left, right] = [VERSION.exec(a) ?? [], VERSION.exec(b) ?? []];
  const numbers = [1, 2, 3].map((part) => Number(left[part] ?? 0) - Number(right[part] ?? 0));
  const first = numbers.find((difference) => difference !== 0);
  if (first !== undefined) return first;
  if (left[4] === undefined || right[4] === undefined)
    return Number(left[4] === undefined) - Number(right[4] === undefined);
  return left[4].localeCompare(right[4], 'en', { numeric: true });
}

/** A checkout of the sources is updated by git, everything else by npm. */
function howToInstall(version: string): string {
  const root = dirname(dirname(process.argv[1] ?? ''));
  return existsSync(join(root, '.git'))
    ? `git -C ${root} pull && npm --prefix ${root} run setup`
    : `npm install --global ${PACKAGE}@${version}`;
}

function linesOf({ installed, newest, isNewer, changes, how }: Upgrade): string[] {
  if (!isNewer) return [`Installed: ${installed}`, `Newest:    ${newest}`, 'There is no newer version.'];
  return [
    `Installed: ${installed}`,
    `Newest:    ${newest}`,
    '',
    ...cleanText(changes ?? 'Its list of changes could not be read.').split('\n'),
    '',
    `Nothing was changed. Install it with: ${how}`,
    'Settings and data stay: a newer version migrates its database when it first opens it, and older versions then refuse it. Make a copy first with: manyhands backup',
  ];
}
