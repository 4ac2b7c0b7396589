import { join } from 'node:path';
import type { AgentReader } from '../../agents/agent.ts';
import { lostOutputText } from '../../core/attempt/lost-output.ts';
import { messagesFor, messageText } from '../../core/attempt/message.ts';
import { type Redact, redactValue } from '../../core/redact.ts';
import type { AttemptState, TaskState } from '../../core/run/state.ts';
import { lineReader } from '../../process/lines.ts';
import type { LostOutput } from '../../process/lost-output.ts';
import { type Tail, tail } from '../../process/tail.ts';
import { attemptId } from '../../schema/ids.ts';
import type { TaskLimits } from '../../schema/task.ts';
import type { OutputFile, Store, TranscriptRow } from '../../store/store.ts';
import type { World } from '../../world.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import type { AttemptDigest } from './attempt-digest.ts';
import { type DescribedEvent, describeEvent } from './describe-event.ts';
import { OutputPolicy } from './output-policy.ts';

/**
 * Generations of transcript rows that the engine writes itself, in the order in which they appear: a row that comes before
 * one that is stored already counts as stored. So each is stored once.
 */
export const ENGINE_GENERATIONS = { setup: -1, messages: 0, finalMessage: 1, teardown: 2 } as const;

type Line = { text: string; offset: number; truncatedBytes: number };
/** How far a file was read, and its generation: a truncated file begins a new one. */
type ReadPosition<File extends TranscriptRow['file'] = TranscriptRow['file']> = {
  file: File;
  offset: number;
  generation: number;
};

export type OutputOptions = {
  attempt: string;
  folder: string;
  reader: AgentReader;
  store: Store;
  world: World;
  redact: Redact;
  digest: AttemptDigest;
  limits: Pick<TaskLimits, 'outputBytes' | 'output'>;
  /** Called after each chunk, with the number of bytes read so far. */
  onRead: (bytes: number) => void;
  signal: AbortSignal;
};

/** A line is kept up to this length; the rest of it is counted. */
export const MAX_LINE_BYTES = 1024 * 1024;

/** Reads the output of an attempt, from its beginning, into the transcript; rows that are stored already are not stored twice. */
export class AttemptOutput {
  #read = 0;
  readonly #policy: OutputPolicy<() => TranscriptRow>;
  readonly #tails: Tail[];
  readonly #flush: ((lost: readonly LostOutput[]) => Promise<void>)[] = [];
  readonly #options: OutputOptions;

  constructor(options: OutputOptions) {
    this.#options = options;
    this.#policy = new OutputPolicy(options.limits);
    this.#tails = [this.#follow('stdout'), this.#follow('stderr')];
  }

  /** Resolves when everything in the files is stored, including the final message, and what is missing in them. */
  async finish(lost: readonly LostOutput[] = []): Promise<void> {
    for (const file of this.#tails) await file.drained();
    for (const flush of this.#flush) await flush(lost);
    this.close();
    const { dropped, finalMessage } = this.#policy;
    if (dropped === 0) return;
    const { attempt, store, reader } = this.#options;
    const engineRow = { file: 'engine', generation: ENGINE_GENERATIONS.finalMessage } as const;
    const items = finalMessage === undefined ? [] : [{ ...finalMessage(), ...engineRow }];
    const rows = [...items, this.#marker({ ...engineRow, offset: this.#read }, dropped)];
    await store.ingest({ attempt, rows, cursors: [], usage: reader.usage() });
  }

  close(): void {
    for (const file of this.#tails) file.close();
  }

  #lostRow(each: LostOutput, { file, offset, generation }: ReadPosition): TranscriptRow {
    const { attempt, world } = this.#options;
    return { attempt, file, offset, generation, at: world.now(), kind: 'truncated', text: lostOutputText(each) };
  }

  #follow(file: OutputFile): Tail {
    const { attempt, folder, store, signal } = this.#options;
    const at: ReadPosition<OutputFile> = { file, offset: 0, generation: store.generation(attempt, file) };
    let lines = lineReader({ maxLineBytes: MAX_LINE_BYTES });
    let marks: TranscriptRow[] = [];
    const rowsOf = (read: readonly Line[]): TranscriptRow[] => {
      const rows = marks;
      marks = [];
      for (const line of read) this.#addRows(rows, line, at);
      return rows;
    };
    this.#flush.push(async (lost) => {
      const missing = lost.filter((each) => each.file === file).map((each) => this.#lostRow(each, at));
      const rest = lines.flush();
      const isStored = rest.length === 0 && marks.length === 0 && missing.length === 0;
      // How far the file was read is stored with its last chunk.
      if (!isStored) await this.#store([...rowsOf(rest), ...missing], at);
    });
    return tail({
      file: join(folder, file),
      from: 0,
      signal,
      onChunk: (chunk, offset) => {
        at.offset = offset + chunk.length;
        this.#read += chunk.length;
        const rows = rowsOf(lines.push(chunk));
        this.#options.digest.setOutputBytes(this.#read);
        this.#options.onRead(this.#read);
        return this.#store(rows, at);
      },
      onTruncated: (lostBytes) => {
        at.generation += 1;
        at.offset = 0;
        lines = lineReader({ maxLineBytes: MAX_LINE_BYTES });
        marks.push(this.#marker(at, lostBytes));
      },
    });
  }

  #addRows(rows: TranscriptRow[], line: Line, { file, generation }: ReadPosition<OutputFile>): void {
    const { reader, digest, attempt, world } = this.#options;
    const position = { attempt, file, offset: line.offset, generation, at: world.now() };
    const items = reader.line(file, line.text).map((event) => {
      digest.addEvent(event);
      return { event, row: () => ({ ...position, ...this.#redacted(describeEvent(event)) }) };
    });
    const kept = this.#policy.keep(line.text.length, items);
    for (const row of kept) rows.push(row());
    if (line.truncatedBytes > 0 && kept.length === items.length) rows.push(this.#marker(position, line.truncatedBytes));
  }

  #redacted(row: DescribedEvent): DescribedEvent {
    const { redact, digest } = this.#options;
    const text = redact(row.text, () => digest.countRedaction());
    return row.data === undefined ? { ...row, text } : { ...row, text, data: redactValue(row.data, redact) };
  }

  #marker({ file, offset, generation }: ReadPosition, bytes: number): TranscriptRow {
    const { attempt, world } = this.#options;
    const text = `${bytes} bytes are not shown`;
    return { attempt, file, offset, generation, at: world.now(), kind: 'truncated', text, data: { bytes } };
  }

  #store(rows: TranscriptRow[], { file, offset, generation }: ReadPosition<OutputFile>): Promise<void> {
    const { attempt, store, reader } = this.#options;
    return store.ingest({ attempt, rows, cursors: [{ file, offset, generation }], usage: reader.usage() });
  }
}

/** Writes the messages of a person to the beginning of the transcript of the attempt that receives them. */
export async function recordMessages(
  ctx: EngineContext,
  run: ActiveRun,
  { task, attempt }: { task: TaskState; attempt: AttemptState },
): Promise<void> {
  const messages = messagesFor(task, attempt);
  if (messages.length === 0) return;
  const name = attemptId(run.id, task.ordinal, attempt.number);
  const rows = messages.map((message, index): TranscriptRow => {
    const text = run.redact(messageText(message));
    const data = { id: message.id };
    const position = { file: 'engine', generation: ENGINE_GENERATIONS.messages, offset: index + 1 } as const;
    return { attempt: name, ...position, at: ctx.world.now(), kind: 'message', text, data };
  });
  await ctx.store.ingest({ attempt: name, rows, cursors: [] });
}
