import { join } from 'node:path';
import type { AgentEvent, AgentReader } from '../agents/agent.ts';
import { type Redact, redactValue } from '../core/redact.ts';
import { lineReader } from '../process/lines.ts';
import { type Tail, tail } from '../process/tail.ts';
import type { Store, TranscriptRow } from '../store/store.ts';
import type { World } from '../world.ts';
import type { AttemptDigest } from './digest.ts';

type OutputFile = 'stdout' | 'stderr';

export type OutputOptions = {
  attempt: string;
  folder: string;
  reader: AgentReader;
  store: Store;
  world: World;
  redact: Redact;
  digest: AttemptDigest;
  /** Called after each piece that was read, with the number of bytes read so far. */
  onRead: (bytes: number) => void;
  signal: AbortSignal;
};

type Described = { kind: string; text: string; data?: unknown };

/** A line is shown up to this length; the rest of it is counted, not kept. */
export const MAX_LINE_BYTES = 1024 * 1024;
/** Most text of one attempt that is kept; what an agent says beyond it is counted. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

/** Reads what an attempt writes, from its beginning, into the transcript; what was stored before is not stored twice. */
export class AttemptOutput {
  #read = 0;
  #kept = 0;
  #dropped = 0;
  readonly #tails: Tail[];
  readonly #flush: (() => Promise<void>)[] = [];
  readonly #options: OutputOptions;

  constructor(options: OutputOptions) {
    this.#options = options;
    this.#tails = [this.#follow('stdout'), this.#follow('stderr')];
  }

  /** Everything that is in the files now has been stored. */
  async finish(): Promise<void> {
    for (const file of this.#tails) await file.drained();
    for (const flush of this.#flush) await flush();
    this.close();
    if (this.#dropped > 0) await this.#store([this.#marker('stdout', this.#read, this.#dropped)], 'stdout', this.#read);
  }

  close(): void {
    for (const file of this.#tails) file.close();
  }

  #follow(file: OutputFile): Tail {
    const { attempt, folder, store, signal } = this.#options;
    let generation = store.generation(attempt, file);
    let lines = lineReader({ maxLineBytes: MAX_LINE_BYTES });
    let end = 0;
    this.#flush.push(() =>
      this.#store(
        lines.flush().flatMap((line) => this.#rows(file, line, generation)),
        file,
        end,
        generation,
      ),
    );
    return tail({
      file: join(folder, file),
      from: 0,
      signal,
      onChunk: async (chunk, offset) => {
        end = offset + chunk.length;
        this.#read += chunk.length;
        const rows = lines.push(chunk).flatMap((line) => this.#rows(file, line, generation));
        this.#options.digest.read(this.#read);
        this.#options.onRead(this.#read);
        await this.#store(rows, file, end, generation);
      },
      onTruncated: (lostBytes) => {
        generation += 1;
        lines = lineReader({ maxLineBytes: MAX_LINE_BYTES });
        void this.#store([{ ...this.#marker(file, 0, lostBytes), generation }], file, 0, generation);
      },
    });
  }

  #rows(
    file: OutputFile,
    line: { text: string; offset: number; truncatedBytes: number },
    generation: number,
  ): TranscriptRow[] {
    const at = this.#options.world.now();
    const events = this.#options.reader.line(file, line.text);
    for (const event of events) this.#options.digest.heard(event);
    this.#kept += line.text.length;
    if (this.#kept > MAX_KEPT_BYTES) {
      this.#dropped += line.text.length;
      return [];
    }
    const rows = events.map((event) => ({
      attempt: this.#options.attempt,
      file,
      offset: line.offset,
      generation,
      at,
      ...this.#redacted(describe(event)),
    }));
    if (line.truncatedBytes > 0)
      rows.push({ ...this.#marker(file, line.offset, line.truncatedBytes), file, generation });
    return rows;
  }

  #redacted(row: Described): Described {
    const { redact, digest } = this.#options;
    const text = redact(row.text);
    if (text !== row.text) digest.redacted();
    return row.data === undefined ? { ...row, text } : { ...row, text, data: redactValue(row.data, redact) };
  }

  #marker(file: OutputFile, offset: number, bytes: number) {
    const at = this.#options.world.now();
    return {
      attempt: this.#options.attempt,
      file,
      offset,
      at,
      kind: 'truncated',
      text: `${bytes} bytes are not shown`,
      data: { bytes },
    };
  }

  async #store(rows: TranscriptRow[], file: OutputFile, offset: number, generation = 0): Promise<void> {
    const { attempt, store, reader } = this.#options;
    await store.ingest({ attempt, rows, cursors: [{ file, offset, generation }], usage: reader.usage() });
  }
}

/** An agent's event as a row of the transcript: a kind, a text to search and read, and the rest. */
function describe(event: AgentEvent): Described {
  switch (event.type) {
    case 'text':
    case 'reasoning':
    case 'question':
      return { kind: event.type, text: event.text };
    case 'session':
      return { kind: event.type, text: event.id };
    case 'tool-call':
      return { kind: event.type, text: event.name, data: event };
    case 'tool-result':
      return { kind: event.type, text: event.output, data: { id: event.id, isError: event.isError } };
    case 'file-change':
      return { kind: event.type, text: `${event.change} ${event.path}`, data: event };
    case 'usage':
      return { kind: event.type, text: '', data: event.usage };
    case 'retry':
    case 'permission-denied':
      return { kind: event.type, text: event.message, data: event };
    case 'result':
      return { kind: event.type, text: event.text, data: event };
    case 'unknown':
      return { kind: event.type, text: event.raw };
  }
}
