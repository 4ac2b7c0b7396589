import { lostOutputText } from '../../core/attempt/lost-output.ts';
import { redactValue } from '../../core/redact.ts';
import type { LostOutput } from '../../process/lost-output.ts';
import { type Changes, watchChanges } from '../../process/terminal/changes.ts';
import { PIECE_BYTES, readRing } from '../../process/terminal/ring.ts';
import { type TerminalLine, terminalText } from '../../process/terminal/text.ts';
import type { TranscriptRow } from '../../store/store.ts';
import type { OutputOptions } from './attempt-output.ts';
import { ENGINE_GENERATIONS } from './attempt-output.ts';
import { describeEvent } from './describe-event.ts';
import { OutputPolicy } from './output-policy.ts';

/** The pause between full pieces: a program that writes without end is read at a limited rate, and what it overwrites is counted. */
const PACE_MS = 20;
const FILE = 'stdout';

/** Reads the terminal output of an attempt into the transcript; rows that are stored already are not stored twice. */
export class TerminalOutput {
  #cursor = 0;
  #read = 0;
  #isEnding = false;
  readonly #text = terminalText();
  readonly #policy: OutputPolicy<() => TranscriptRow>;
  readonly #changes: Changes;
  readonly #finished: Promise<{ error: unknown } | undefined>;
  readonly #options: OutputOptions;

  constructor(options: OutputOptions) {
    this.#options = options;
    this.#policy = new OutputPolicy(options.limits);
    this.#changes = watchChanges(options.folder, options.signal);
    this.#finished = this.#readUntilEnd().then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
  }

  /** Resolves when all output is stored, and what is missing of it. */
  async finish(lost: readonly LostOutput[] = []): Promise<void> {
    this.#isEnding = true;
    this.#changes.wake();
    const failed = await this.#finished;
    if (failed !== undefined) throw failed.error;
    const last = this.#text.flush().flatMap((line) => this.#rows(line));
    const { dropped, finalMessage } = this.#policy;
    const engineRow = { file: 'engine', generation: ENGINE_GENERATIONS.finalMessage } as const;
    const items = finalMessage === undefined ? [] : [{ ...finalMessage(), ...engineRow }];
    const closing = dropped === 0 ? [] : [...items, { ...this.#marker(this.#cursor, dropped), ...engineRow }];
    const missing = lost.map((each) => ({
      ...this.#marker(this.#cursor, 0),
      text: lostOutputText(each),
      data: undefined,
    }));
    await this.#store([...last, ...missing, ...closing]);
  }

  /** Typing changes a file of the folder too, so every change counts as activity. */
  async #readUntilEnd(): Promise<void> {
    try {
      while (!this.#options.signal.aborted) {
        await this.#changes.next();
        const isLast = this.#isEnding;
        this.#options.onRead(this.#read);
        while (await this.#readPiece());
        if (isLast) return;
      }
    } finally {
      this.#changes.close();
    }
  }

  async #readPiece(): Promise<boolean> {
    const { folder, signal, world, digest } = this.#options;
    signal.throwIfAborted();
    const { chunk, offset, lost } = readRing(folder, this.#cursor);
    if (chunk.length === 0) return false;
    this.#cursor = offset + chunk.length;
    const lines = this.#text.push(chunk, offset);
    this.#read += lines.reduce((sum, { text }) => sum + text.length + 1, 0);
    const rows = lines.flatMap((line) => this.#rows(line));
    // Offsets of rows must not decrease.
    await this.#store(lost === 0 ? rows : [this.#marker(Math.min(offset, rows[0]?.offset ?? offset), lost), ...rows]);
    digest.setOutputBytes(this.#read);
    this.#options.onRead(this.#read);
    if (chunk.length === PIECE_BYTES) await world.sleep(PACE_MS, signal);
    return true;
  }

  #rows({ text, offset }: TerminalLine): TranscriptRow[] {
    const { reader, digest, attempt, world, redact } = this.#options;
    const items = reader.line(FILE, text).map((event) => {
      digest.addEvent(event);
      const row = (): TranscriptRow => {
        const described = describeEvent(event);
        const shown = redact(described.text, () => digest.countRedaction());
        const data = described.data === undefined ? {} : { data: redactValue(described.data, redact) };
        return { attempt, file: FILE, offset, at: world.now(), kind: described.kind, text: shown, ...data };
      };
      return { event, row };
    });
    return this.#policy.keep(text.length, items).map((row) => row());
  }

  #marker(offset: number, bytes: number): TranscriptRow {
    const { attempt, world } = this.#options;
    const text = `${bytes} bytes are not shown`;
    return { attempt, file: FILE, offset, at: world.now(), kind: 'truncated', text, data: { bytes } };
  }

  async #store(rows: TranscriptRow[]): Promise<void> {
    const { attempt, store, reader } = this.#options;
    await store.ingest({ attempt, rows, cursors: [{ file: FILE, offset: this.#cursor }], usage: reader.usage() });
  }
}
