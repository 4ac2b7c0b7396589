import type { Caller } from '../../access/caller.ts';
import { AppError, messageOf } from '../../errors.ts';
import { TERMINAL_SIZE } from '../../operations/terminals/resize-terminal.ts';
import { MOST_TYPED_BYTES } from '../../operations/terminals/type-terminal.ts';
import type { Platform, Session } from '../platform.ts';
import { cleanText } from '../render/clean-text.ts';
import { waitForTerminal } from './attach-target.ts';
import type { RawScreen } from './raw-screen.ts';

/** The terminal to attach to: that of a task of a run. */
export type AttachTarget = { dir: string; run: string; task: string };

/** How it ended: the user detached, or the program ended. */
export type AttachEnd = 'detached' | 'ended';

/** Ctrl-] and Ctrl-\. */
const DETACH_KEYS = [0x1d, 0x1c];
/** Input to an ended terminal is dropped, and viewing it needs no engine; the stream reports that it has ended. */
const IGNORED_WHEN_ENDED: ReadonlySet<string> = new Set(['TERMINAL_ENDED', 'ENGINE_NONE']);
const CLEAR = '\u001b[0m\u001b[r\u001b[?1049l\u001b[H\u001b[2J';

/** Connects the user's terminal to that of an agent, until the user detaches or the program ends. */
export async function attach(platform: Platform, caller: Caller, target: AttachTarget): Promise<AttachEnd> {
  const { terminal } = platform;
  const detached = new AbortController();
  let screen: RawScreen | undefined;
  try {
    for await (const item of caller.stream('watch-terminal', target, { signal: detached.signal })) {
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
  const next = `Attach again with: manyhands attach ${target.run} ${target.task}`;
  terminal.err(
    end === 'detached' ? `\nDetached; the agent continues. ${next}\n` : '\nThe program in the terminal has ended.\n',
  );
  return end;
}

/** Attaches to the run that was just started; without a terminal it only prints how. */
export async function attendJob(
  { platform }: Session,
  caller: Caller,
  { run, dir }: { run: string; dir: string },
): Promise<void> {
  const { terminal } = platform;
  if (!terminal.isOutputTerminal) {
    terminal.err(`The agent runs in a terminal. Attach to it with: manyhands attach ${run}\n`);
    return;
  }
  terminal.err('Waiting for the terminal of the agent…\n');
  try {
    const task = await waitForTerminal(platform, caller, run);
    if (task !== undefined) await attach(platform, caller, { dir, run, task });
  } catch (error) {
    // The run continues, and following it shows what happened.
    terminal.err(`note: ${cleanText(messageOf(error))}\n`);
  }
}

type Attachment = { platform: Platform; caller: Caller; target: AttachTarget; detached: AbortController };

function takeOver({ platform, caller, target, detached }: Attachment): RawScreen {
  const { terminal } = platform;
  terminal.err(`Attached to ${target.task} of run ${target.run}. Ctrl-] or Ctrl-\\ detaches; the agent continues.\n`);
  const screen = platform.takeScreen();
  if (screen === undefined)
    throw new AppError('USAGE', 'attach needs a terminal: its input and output must not be redirected');
  let queue = Promise.resolve();
  const withMutex = (act: () => Promise<unknown>) => {
    queue = queue.then(act).then(
      () => {},
      (error: unknown) => {
        if (error instanceof AppError && IGNORED_WHEN_ENDED.has(error.code)) return;
        if (!detached.signal.aborted) detached.abort(error);
      },
    );
  };
  const resize = () => withMutex(() => caller.call('resize-terminal', { ...target, ...bounded(screen.size()) }));
  screen.onResize(resize);
  screen.onInput((bytes) => {
    const detachAt = bytes.findIndex((byte) => DETACH_KEYS.includes(byte));
    const typed = detachAt < 0 ? bytes : bytes.subarray(0, detachAt);
    for (let at = 0; at < typed.length; at += MOST_TYPED_BYTES) {
      const data = typed.subarray(at, at + MOST_TYPED_BYTES).toString('base64');
      withMutex(() => caller.call('type-terminal', { ...target, data }));
    }
    if (detachAt >= 0) withMutex(async () => detached.abort());
  });
  screen.closed.addEventListener('abort', () => detached.abort(), { once: true });
  const stopListening = platform.onSignal(() => detached.abort());
  detached.signal.addEventListener('abort', stopListening, { once: true });
  resize();
  return screen;
}

/** Replaces line feeds by the sequence that only moves down, because some systems add a carriage return to a line feed; other bytes are unchanged. */
function drawable(data: string): string {
  return Buffer.from(data, 'base64').toString('latin1').replaceAll('\n', '\u001bD');
}

function bounded({ columns, rows }: { columns: number; rows: number }): { columns: number; rows: number } {
  const within = (value: number, { least, most }: { least: number; most: number }) =>
    Math.min(most, Math.max(least, value));
  return { columns: within(columns, TERMINAL_SIZE.columns), rows: within(rows, TERMINAL_SIZE.rows) };
}
