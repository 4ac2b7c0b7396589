// biome-ignore-all lint/suspicious/noControlCharactersInRegex: control characters are what it is about
import { realWorld, type World } from '../../world.ts';
import { type Changes, watchChanges } from './changes.ts';
import type { TerminalKind, TerminalSize } from './files.ts';
import { PIECE_BYTES, readRing, ringRange } from './ring.ts';
import { type SafeOutput, safeOutput } from './safe-output.ts';
import { terminalIn } from './terminal.ts';

export type Watching = {
  folder: string;
  kind: TerminalKind;
  /** Where an earlier watcher stood. */
  after: number | undefined;
  /** Whether the program still runs; asked again when something changed. */
  isLive: () => boolean;
  /** Calls back when it may have ended, or has another size; gives the way to stop that. */
  onNews: (tell: (size?: TerminalSize) => void) => () => void;
  signal: AbortSignal;
  world?: World;
};

/** A piece of the stream as it may be shown; with `reset` it stands for everything before it. */
export type ShownPiece = { offset: number; data: Buffer; reset?: true; size?: TerminalSize };

/** A watcher who is further behind gets the screen as it stands instead. */
const MAX_BEHIND = 1024 * 1024;
/** What is drawn again where only the stream can tell what is on the screen. */
const REPLAYED_BYTES = 256 * 1024;
/** Between full pieces, so that a program that writes without end does not keep us busy. */
const PACE_MS = 25;
const CAPTURE_TRIES = 5;
const CLEARED = /[\s\S]*(?:\x1b\[2J|\x1b\[3J|\x1bc|\x1b\[\?1049[hl])/;

/** Shows a terminal: the screen as it stands, unless the watcher can go on where it was, and then what comes, until it ends. */
export async function* watchTerminal(watching: Watching): AsyncGenerator<ShownPiece> {
  const { folder, kind, signal, world = realWorld } = watching;
  const changes = watchChanges(folder, signal);
  let resized: TerminalSize | undefined;
  const stopNews = watching.onNews((size) => {
    resized = size ?? resized;
    changes.wake();
  });
  try {
    if (!(await untilBegun(watching, changes))) return;
    let safe = safeOutput();
    let cursor = resumable(folder, watching.after);
    for (;;) {
      if (cursor === undefined) {
        const first = await begin(watching);
        safe = safeOutput();
        cursor = first.offset;
        yield first;
      }
      const isLive = watching.isLive();
      const { chunk, offset, lost } = readRing(folder, cursor);
      if (lost > 0 || isFarBehind(folder, cursor)) {
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
    stopNews();
    changes.close();
  }
}

function* shown(safe: SafeOutput, chunk: Buffer, end: number): Generator<ShownPiece> {
  const { bytes, held } = safe.push(chunk);
  if (bytes.length > 0) yield { offset: end - held, data: bytes };
}

/** Whether there is a stream; one that ended before it began has none. */
async function untilBegun({ folder, isLive }: Watching, changes: Changes): Promise<boolean> {
  while (ringRange(folder) === undefined) {
    if (!isLive()) return false;
    await changes.next();
  }
  return true;
}

function resumable(folder: string, after: number | undefined): number | undefined {
  const range = ringRange(folder);
  if (after === undefined || range === undefined) return undefined;
  return after >= range.start && after <= range.end && range.end - after <= MAX_BEHIND ? after : undefined;
}

function isFarBehind(folder: string, cursor: number): boolean {
  return (ringRange(folder)?.end ?? cursor) - cursor > MAX_BEHIND;
}

/** The screen as the terminal tells it; else the last part of the stream is to be drawn again. */
async function begin(watching: Watching): Promise<ShownPiece> {
  const { folder, kind } = watching;
  const captured = watching.isLive() ? await capture(folder, kind) : undefined;
  if (captured !== undefined) return captured;
  const size = await sizeOf(folder, kind);
  const offset = replayStart(folder);
  return { offset, data: Buffer.alloc(0), reset: true, ...(size === undefined ? {} : { size }) };
}

/** Taken again when something was written meanwhile, so that picture and offset belong together; a program that never rests may have a piece drawn twice. */
async function capture(folder: string, kind: TerminalKind): Promise<ShownPiece | undefined> {
  let before = ringRange(folder)?.end ?? 0;
  for (let tries = 1; ; tries += 1) {
    const screen = await terminalIn(folder, kind)
      .screen()
      // It is just ending: its stream tells the rest.
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
  // A terminal that is just ending has no size any more.
  return terminalIn(folder, kind)
    .size()
    .catch(() => undefined);
}

/** After the last time the screen was cleared, else at the beginning of a line. */
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
