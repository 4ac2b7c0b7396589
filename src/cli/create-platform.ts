import { closeSync, writeSync } from 'node:fs';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Caller } from '../access/caller.ts';
import { AppError } from '../errors.ts';
import { prepareHome, resolveHome } from '../home.ts';
import { ANNOUNCE_FD, spawnDetached } from '../process/detached.ts';
import { run, runInForeground, startAlone } from '../process/run.ts';
import { realWorld } from '../world.ts';
import { showClosing } from './follow/show-steps.ts';
import type { Platform, ScratchRepository } from './platform.ts';
import { takeScreen } from './terminal/raw-screen.ts';
import { createTerminal } from './terminal/terminal.ts';
import { createQuestions } from './terminal/terminal-prompts.ts';

const ANNOUNCE_VARIABLE = 'MANYHANDS_ANNOUNCE_FD';
/** The initial threshold of glibc, fixed: it would rise with the first large body, whose memory then stays with the process. */
const RETURNED_MEMORY = { MALLOC_MMAP_THRESHOLD_: '131072' };
const REVEAL_MS = 10_000;
const GIT_MS = 30_000;

/** What main.ts passes in: the way to operations, and the HTTP server, which the command line does not know. */
export type Surroundings = Pick<
  Platform,
  'openServer' | 'findServer' | 'isServedWithRuns' | 'takeToken' | 'watchForEngine' | 'waitForVacancy'
> & {
  openCaller(
    env: NodeJS.ProcessEnv,
    options: {
      onClosing(caller: Caller): AsyncDisposable;
      askCode(message: string): Promise<string | undefined>;
      onConnection(text: string): void;
      startEngine?: () => Promise<void>;
    },
  ): Promise<Caller>;
};

/** The platform of this process. */
export function createPlatform(version: string, surroundings: Surroundings): Platform {
  const { env } = process;
  const announceTo = takeAnnounceFd(env);
  let hasAnnounced = false;
  const terminal = createTerminal(process);
  const world = realWorld;
  return {
    terminal,
    world,
    version,
    ...surroundings,
    openCaller: (callerEnv, options) =>
      surroundings.openCaller(callerEnv, {
        ...options,
        onClosing: (caller) => showClosing({ terminal, world }, caller),
        askCode: (message) => ask(`${message}. Code: `),
        // What is drawn in place says itself that nothing changes.
        onConnection: (text) => void (terminal.isLive || terminal.err(`note: ${text}\n`)),
      }),
    onSignal: (listener) => {
      process.on('SIGINT', listener);
      process.on('SIGTERM', listener);
      return () => {
        process.off('SIGINT', listener);
        process.off('SIGTERM', listener);
      };
    },
    detach: async (args, { passInput }) => {
      const home = resolveHome(env);
      await prepareHome(home);
      const logFile = join(home.logs, `background-${realWorld.runId()}.log`);
      const command = [process.execPath, ...process.execArgv, process.argv[1] ?? '', ...args];
      const { announcement } = await spawnDetached(command, {
        cwd: process.cwd(),
        env: { ...RETURNED_MEMORY, ...env, [ANNOUNCE_VARIABLE]: String(ANNOUNCE_FD) },
        logFile,
        passInput,
      });
      return await announcement;
    },
    announce: (text) => {
      if (hasAnnounced || announceTo === undefined) return;
      hasAnnounced = true;
      writeSync(announceTo, text);
      closeSync(announceTo);
    },
    confirm,
    askSecret,
    questions: () => createQuestions(process.stdin, process.stderr, env),
    ask,
    takeScreen: () => takeScreen(process.stdin, process.stdout),
    reveal,
    openWindow,
    edit,
    makeScratchRepository,
  };
}

/** Only a process started in the background has it; it is removed so that child processes do not inherit it. */
function takeAnnounceFd(env: NodeJS.ProcessEnv): number | undefined {
  const fd = Number(env[ANNOUNCE_VARIABLE] ?? Number.NaN);
  delete env[ANNOUNCE_VARIABLE];
  return Number.isInteger(fd) ? fd : undefined;
}

/** A cancelled prompt counts as no. */
async function confirm(question: string): Promise<boolean | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  const { confirm: ask } = await import('@clack/prompts');
  return (await ask({ message: question, initialValue: false, output: process.stderr })) === true;
}

async function ask(question: string): Promise<string | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  const { text } = await import('@clack/prompts');
  const answer = await text({ message: question, output: process.stderr });
  return typeof answer === 'string' ? answer : undefined;
}

async function askSecret(question: string): Promise<string | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  const { password } = await import('@clack/prompts');
  const answer = await password({ message: question, output: process.stderr });
  return typeof answer === 'string' ? answer : undefined;
}

/** `$EDITOR` may hold arguments, so the shell runs it. */
async function edit(file: string): Promise<void> {
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    throw new AppError(
      'USAGE',
      'There is no terminal to edit in: print the plan with --print, then pass the file with --file',
    );
  const editor = process.env.VISUAL || process.env.EDITOR || 'vi';
  const code = await runInForeground(['sh', '-c', `${editor} "$1"`, 'editor', file], process.env);
  if (code !== 0) throw new AppError('REFUSED', `${editor} ended with ${code ?? 'a signal'}; nothing is changed`);
}

async function reveal(path: string): Promise<void> {
  const command = [process.platform === 'darwin' ? 'open' : 'xdg-open', path];
  const { code } = await run(command, { env: inherited(), timeoutMs: REVEAL_MS }).catch(() => ({ code: null }));
  if (code !== 0)
    throw new AppError('UNSUPPORTED_SYSTEM', `${command[0]} could not open ${path}; open it yourself`, { path });
}

/** Keeps a window open until the user has read its end. */
const IN_WINDOW = '"$@"; printf "\\nPress Enter to close this window. "; read -r _';
/** Terminals of desktops and the option before the command. */
const DESKTOP_TERMINALS: readonly (readonly [string, string])[] = [
  ['x-terminal-emulator', '-e'],
  ['gnome-terminal', '--'],
  ['konsole', '-e'],
  ['xfce4-terminal', '-x'],
  ['kitty', '--'],
  ['alacritty', '-e'],
  ['foot', '--'],
  ['xterm', '-e'],
];

async function openWindow(args: readonly string[]): Promise<boolean> {
  const env = inherited();
  const home = env.MANYHANDS_HOME === undefined ? [] : ['env', `MANYHANDS_HOME=${env.MANYHANDS_HOME}`];
  const program = [process.execPath, ...process.execArgv, process.argv[1] ?? '', ...args];
  const command = ['sh', '-c', IN_WINDOW, 'window', ...home, ...program];
  if (env.TMUX !== undefined) return openPane(command, env);
  if (process.platform === 'darwin') return openMacTerminal(command, env);
  if (env.DISPLAY === undefined && env.WAYLAND_DISPLAY === undefined) return false;
  const own: (readonly [string, string])[] = env.TERMINAL === undefined ? [] : [[env.TERMINAL, '-e']];
  for (const [terminal, option] of [...own, ...DESKTOP_TERMINALS])
    if (await startAlone([terminal, option, ...command], env)) return true;
  return false;
}

/** A pane beside the current one, or a window where there is no space for it; neither takes the keyboard. */
async function openPane(command: readonly string[], env: Record<string, string>): Promise<boolean> {
  for (const kind of [['split-window', '-h'], ['new-window']]) {
    const tmux = ['tmux', ...kind, '-d', '-c', process.cwd(), '--', ...command];
    const { code } = await run(tmux, { env, timeoutMs: REVEAL_MS }).catch(() => ({ code: null }));
    if (code === 0) return true;
  }
  return false;
}

async function openMacTerminal(command: readonly string[], env: Record<string, string>): Promise<boolean> {
  const line = `cd ${quoted(process.cwd())} && ${command.map(quoted).join(' ')}`;
  const script = `tell application "Terminal" to do script ${JSON.stringify(line)}`;
  const { code } = await run(['osascript', '-e', script], { env, timeoutMs: REVEAL_MS }).catch(() => ({ code: null }));
  return code === 0;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

async function makeScratchRepository(): Promise<ScratchRepository> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'manyhands-self-test-')));
  const remove = () => rm(root, { recursive: true, force: true });
  const dir = join(root, 'repository');
  try {
    await makeFirstCommit(root, dir);
  } catch (error) {
    await remove();
    throw error;
  }
  return { dir, home: join(root, 'data'), [Symbol.asyncDispose]: remove };
}

async function makeFirstCommit(home: string, dir: string): Promise<void> {
  const env = { ...inherited(), HOME: home, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
  const identity = ['-c', 'user.name=Manyhands', '-c', 'user.email=manyhands@localhost'];
  const git = async (...args: string[]) => {
    const { code, stderr } = await run(['git', ...identity, ...args], { env, timeoutMs: GIT_MS });
    if (code !== 0) throw new AppError('GIT_FAILED', `git ${args[0]} failed in ${dir}: ${stderr.trim()}`, { dir });
  };
  await git('init', '--quiet', '--initial-branch=main', dir);
  await writeFile(join(dir, 'README.md'), '# Self-test\n');
  await git('-C', dir, 'add', 'README.md');
  await git('-C', dir, 'commit', '--quiet', '--no-verify', '-m', 'Start');
}

function inherited(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}
