import type { Caller } from '../../access/caller.ts';
import { AppError, messageOf } from '../../errors.ts';
import { MOST_TYPED_BYTES, TERMINAL_SIZE } from '../../operations/contracts/terminal-contracts.ts';
import type { Platform, Session } from '../platform.ts';
import { cleanText } from '../render/clean-text.ts';
import { untilTerminal } from './attach-target.ts';
import type { RawScreen } from './raw-screen.ts';

/** Whose terminal: a run and its task. */
export type Attached = { dir: string; run: string; task: string };

/** How it came to an end: the person left, or the program ended. */
export type AttachEnd = 'detached' | 'ended';

/** Ctrl-] and Ctrl-\. */
const DETACH_KEYS = [0x1d, 0x1c];
/** A terminal that has ended takes nothing more, and needs no engine to be looked at; the stream tells that it has. */
const OF_AN_ENDED: ReadonlySet<string> = new Set(['TERMINAL_ENDED', 'ENGINE_NONE']);
const CLEAR = '\u001b[0m\u001b[r\u001b[?1049l\u001b[H\u001b[2J';

/** Puts the person's terminal in the place of an agent's, until they leave it or the program ends. */
export async function attach(platform: Platform, caller: Caller, target: Attached): Promise<AttachEnd> {
  const { terminal } = platform;
  const detached = new AbortController();
  let screen: RawScreen | undefined;
  try {
    for await (const item of caller.stream('watch-terminal', target, detached.signal)) {
      if ('ended' in item) break;
      screen ??= takeOver({ platform, caller, target, detached });
      await screen.write(`${item.reset ? CLEAR : ''}${drawable(item.data)}`);
    }
  } catch (error) {
    if (!detached.signal.aborted) throw error;
  } finally {
    screen?.[Symbol.dispose]();
  }
  if (detached.signal.reason instanceof AppError) throw detached.signal.reason;
  const end = detached.signal.aborted ? 'detached' : 'ended';
  const goOn = `Come back with: manyhands attach ${target.run} ${target.task}`;
  terminal.err(
    end === 'detached' ? `\nDetached; the agent goes on. ${goOn}\n` : '\nThe program in the terminal has ended.\n',
  );
  return end;
}

/** Attaches to the run that was just started; without a terminal of our own it only says how. */
export async function attendJob(
  { platform }: Session,
  caller: Caller,
  { run, dir }: { run: string; dir: string },
): Promise<void> {
  const { terminal } = platform;
  if (!terminal.isOutputTerminal) {
    terminal.err(`The agent works in a terminal. Attach to it with: manyhands attach ${run}\n`);
    return;
  }
  terminal.err('Waiting for the terminal of the agent …\n');
  try {
    const task = await untilTerminal(platform, caller, run);
    if (task !== undefined) await attach(platform, caller, { dir, run, task });
  } catch (error) {
    // The run goes on, and following it tells what became of it.
    terminal.err(`note: ${cleanText(messageOf(error))}\n`);
  }
}

type TakingOver = { platform: Platform; caller: Caller; target: Attached; detached: AbortController };

function takeOver({ platform, caller, target, detached }: TakingOver): RawScreen {
  const { terminal } = platform;
  terminal.err(`Attached to ${target.task} of run ${target.run}. Ctrl-] or Ctrl-\\ detaches; the agent goes on.\n`);
  const screen = platform.takeScreen();
  if (screen === undefined)
    throw new AppError('USAGE', 'attach needs a terminal: its input and output must not be redirected');
  let turn = Promise.resolve();
  const withMutex = (act: () => Promise<unknown>) => {
    turn = turn.then(act).then(
      () => {},
      (error: unknown) => {
        if (error instanceof AppError && OF_AN_ENDED.has(error.code)) return;
        if (!detached.signal.aborted) detached.abort(error);
      },
    );
  };
  const follow = () => withMutex(() => caller.call('resize-terminal', { ...target, ...bounded(screen.size()) }));
  screen.onResize(follow);
  screen.onInput((bytes) => {
    const leaves = bytes.findIndex((byte) => DETACH_KEYS.includes(byte));
    const typed = leaves < 0 ? bytes : bytes.subarray(0, leaves);
    for (let at = 0; at < typed.length; at += MOST_TYPED_BYTES) {
      const data = typed.subarray(at, at + MOST_TYPED_BYTES).toString('base64');
      withMutex(() => caller.call('type-terminal', { ...target, data }));
    }
    if (leaves >= 0) withMutex(async () => detached.abort());
  });
  screen.closed.addEventListener('abort', () => detached.abort(), { once: true });
  const stopListening = platform.onSignal(() => detached.abort());
  detached.signal.addEventListener('abort', stopListening, { once: true });
  follow();
  return screen;
}

/** A line feed moves down and not back, also where the system makes a carriage return of it; bytes stay as they are. */
function drawable(data: string): string {
  return Buffer.from(data, 'base64').toString('latin1').replaceAll('\n', '\u001bD');
}

function bounded({ columns, rows }: { columns: number; rows: number }): { columns: number; rows: number } {
  const within = (value: number, { least, most }: { least: number; most: number }) =>
    Math.min(most, Math.max(least, value));
  return { columns: within(columns, TERMINAL_SIZE.columns), rows: within(rows, TERMINAL_SIZE.rows) };
}
