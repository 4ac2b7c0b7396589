// biome-ignore-all lint/suspicious/noControlCharactersInRegex: control characters are what it is about
import { realWorld, type World } from '../../world.ts';
import { type Changes, watchChanges } from './changes.ts';
import type { TerminalKind, TerminalSize } from './files.ts';
import { PIECE_BYTES, readRing, ringRange } from './ring.ts';
import { type SafeOutput, safeOutput } from './safe-output.ts';
import { terminalIn } from './terminal.ts';

export type WatchOptions = {
  folder: string;
  kind: TerminalKind;
  /** The offset that an earlier watcher reached. */
  after: number | undefined;
  /** Whether the program is running; called again after each change. */
  isLive: () => boolean;
  /** Subscribes to a possible end or a new size; returns the function that unsubscribes. */
  onChange: (notify: (size?: TerminalSize) => void) => () => void;
  signal: AbortSignal;
  world?: World;
};

/** A part of the stream that is safe to display; with `reset` it replaces everything before it. */
export type ShownPiece = { offset: number; data: Buffer; reset?: true; size?: TerminalSize };

/** A watcher that is further behind gets the current screen instead. */
const MAX_LAG_BYTES = 1024 * 1024;
/** How much output is replayed where the screen cannot be captured. */
const REPLAYED_BYTES = 256 * 1024;
/** The pause between full reads, so that a program that writes continuously does not keep us busy. */
const PACE_MS = 25;
const CAPTURE_TRIES = 5;
const CLEARED = /[\s\S]*(?:\x1b\[2J|\x1b\[3J|\x1bc|\x1b\[\?1049[hl])/;

/** Streams a terminal: its current screen, unless the watcher can resume at its offset, and then its output until it ends. */
export async function* watchTerminal(options: WatchOptions): AsyncGenerator<ShownPiece> {
  const { folder, kind, signal, world = realWorld } = options;
  const changes = watchChanges(folder, signal);
  let resized: TerminalSize | undefined;
  const unsubscribe = options.onChange((size) => {
    resized = size ?? resized;
    changes.wake();
  });
  try {
    if (!(await waitForStream(options, changes))) return;
    let safe = safeOutput();
    let cursor = resumable(folder, options.after);
    for (;;) {
      if (cursor === undefined) {
        const first = await begin(options);
        safe = safeOutput();
        cursor = first.offset;
        yield first;
      }
      const isLive = options.isLive();
      const { chunk, offset, lost } = readRing(folder, cursor);
      if (lost > 0 || isLagging(folder, cursor)) {
        cursor = undefined;
        continue;
      }
      if (chunk.length > 0) {
        cursor = offset + chunk.length;
        yield* shown(safe, chunk, cursor);
        if (chunk.length === PIECE_BYTES) await world.sleep(PACE_MS, signal);
        continue;
      }
      if (!isLive) return;
      if (resized !== undefined) {
        const screen: ShownPiece = (await capture(folder, kind)) ?? {
          offset: cursor,
          data: Buffer.alloc(0),
          size: resized,
        };
        resized = undefined;
        cursor = screen.offset;
        if (screen.reset) safe = safeOutput();
        yield screen;
        continue;
      }
      await changes.next();
    }
  } finally {
    unsubscribe();
    changes.close();
  }
}

function* shown(safe: SafeOutput, chunk: Buffer, end: number): Generator<ShownPiece> {
  const { bytes, pendingBytes: held } = safe.push(chunk);
  if (bytes.length > 0) yield { offset: end - held, data: bytes };
}

/** Waits for the stream; false if the terminal ended before it started. */
async function waitForStream({ folder, isLive }: WatchOptions, changes: Changes): Promise<boolean> {
  while (ringRange(folder) === undefined) {
    if (!isLive()) return false;
    await changes.next();
  }
  return true;
}

function resumable(folder: string, after: number | undefined): number | undefined {
  const range = ringRange(folder);
  if (after === undefined || range === undefined) return undefined;
  return after >= range.start && after <= range.end && range.end - after <= MAX_LAG_BYTES ? after : undefined;
}

function isLagging(folder: string, cursor: number): boolean {
  return (ringRange(folder)?.end ?? cursor) - cursor > MAX_LAG_BYTES;
}

/** The captured screen; else the last part of the stream is replayed. */
async function begin(options: WatchOptions): Promise<ShownPiece> {
  const { folder, kind } = options;
  const captured = options.isLive() ? await capture(folder, kind) : undefined;
  if (captured !== undefined) return captured;
  const size = await sizeOf(folder, kind);
  const offset = replayStart(folder);
  return { offset, data: Buffer.alloc(0), reset: true, ...(size === undefined ? {} : { size }) };
}

/** Repeated when output arrived during the capture, so that screen and offset match; with continuous output a part may be drawn twice. */
async function capture(folder: string, kind: TerminalKind): Promise<ShownPiece | undefined> {
  let before = ringRange(folder)?.end ?? 0;
  for (let tries = 1; ; tries += 1) {
    const screen = await terminalIn(folder, kind)
      .screen()
      // It is ending: its stream has the rest.
      .catch(() => undefined);
    if (screen === undefined) return undefined;
    const end = ringRange(folder)?.end ?? 0;
    if (end === before || tries === CAPTURE_TRIES) {
      return { offset: before, data: Buffer.from(screen.draw), reset: true, size: screen.size };
    }
    before = end;
  }
}

async function sizeOf(folder: string, kind: TerminalKind): Promise<TerminalSize | undefined> {
  // A terminal that is ending has no size.
  return terminalIn(folder, kind)
    .size()
    .catch(() => undefined);
}

/** The offset after the last clearing of the screen, else the beginning of a line. */
function replayStart(folder: string): number {
  const range = ringRange(folder);
  if (range === undefined) return 0;
  const from = Math.max(range.start, range.end - REPLAYED_BYTES);
  const texts: string[] = [];
  for (let at = from; at < range.end; ) {
    const { chunk, offset } = readRing(folder, at);
    if (chunk.length === 0) break;
    texts.push(chunk.toString('latin1'));
    at = offset + chunk.length;
  }
  const text = texts.join('');
  const cleared = CLEARED.exec(text)?.[0].length;
  if (cleared !== undefined) return from + cleared;
  return from === range.start ? from : from + text.indexOf('\n') + 1;
}
