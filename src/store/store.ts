import type { Origin } from '../schema/actor.ts';
import type { RunRecord } from '../schema/keeping.ts';

/** A fact as it was stored: versions count from 1 without gaps within a stream, positions order all streams. */
export type StoredEvent = {
  stream: string;
  version: number;
  position: number;
  at: number;
  type: string;
  data: unknown;
  /** Who caused it; absent in what earlier versions stored, and in what the engine decided by itself. */
  origin?: Origin;
};

type NewEvent = { type: string; data: unknown };

/** `expected` is the stream's version before the write (0: new, -1: any); without events it only checks that version. */
export type Write = { stream: string; expected: number; events: readonly NewEvent[]; origin?: Origin };

export type StreamSummary = { stream: string; version: number; firstAt: number; lastAt: number };

/** A fold of a stream; `codec` is a hash of the code that folded it, so that no other code takes it up. */
type Snapshot = { stream: string; version: number; codec: string; state: unknown };

export type OutputFile = 'stdout' | 'stderr';

/**
 * Something an agent said, or what Manyhands put there, which is the file `engine`; `generation` counts how often the file
 * shrank and began again at 0.
 */
export type TranscriptRow = {
  attempt: string;
  file: OutputFile | 'engine';
  offset: number;
  generation?: number;
  at: number;
  kind: string;
  text: string;
  data?: unknown;
};

/** A row as it was stored; ids grow and are never used again. */
export type TranscriptEntry = TranscriptRow & { id: number };

/** How far a file was read: the first byte that has not been. */
export type Cursor = { file: OutputFile; offset: number; generation?: number };

/** What was read at once; `usage` is the attempt's total so far, not a difference. */
export type Batch = { attempt: string; rows: readonly TranscriptRow[]; cursors: readonly Cursor[]; usage?: unknown };

export type TranscriptQuery = { attempt: string; after?: number; limit: number; kinds?: readonly string[] };

/** `after` is the id of the last row seen. */
export type RunTranscriptQuery = { run: string; after?: number; limit: number };

/** Rows by their place among those of the attempt, counted from 0. */
export type PageQuery = { attempt: string; offset: number; limit: number };

/** `after` is the id of the last row found before. */
export type FindQuery = { attempt: string; text: string; after: number; limit: number };

/** A row that holds what was looked for, with the words around it. */
export type Found = { id: number; excerpt: string };

/** `before` is the id of the last hit seen; `run` keeps to the attempts of one run. */
export type SearchQuery = { text: string; limit: number; before?: number; run?: string };

export type SearchHit = { id: number; attempt: string; at: number; kind: string; excerpt: string };

/** Stores events and transcripts, and never judges them; what it shows is committed. */
export interface Store extends AsyncDisposable {
  /** All or nothing over several streams; resolves after the fsync, rejects with CONFLICT when a version differs. */
  append(writes: readonly Write[], at: number): Promise<StoredEvent[]>;
  /** The events of a stream after a version, the first ones if a limit is given. */
  read(stream: string, after?: number, limit?: number): StoredEvent[];
  /** The events of all streams after a position. */
  readAll(after: number, limit: number): StoredEvent[];
  /** The events of a stream that are of one of these types. */
  readTypes(stream: string, types: readonly string[]): StoredEvent[];
  /** The position of the newest event; 0 where nothing was ever stored. */
  position(): number;
  /** The streams whose names begin with the prefix, by name. */
  streams(prefix: string): StreamSummary[];
  /** Streams to which tasks were added that mention every word, the newest first. */
  mentioning(words: readonly string[], limit: number): string[];
  /** The position from which on it is on record what a person has read: what is older counts as read. */
  readingSince(): number;
  /** Keeps the newest fold of a stream for each codec's own use; an older version never replaces a newer one. */
  saveSnapshot(snapshot: Snapshot): Promise<void>;
  /** The stream's snapshot, if this codec made it. */
  loadSnapshot(stream: string, codec: string): { version: number; state: unknown } | undefined;
  /** Stores a text once, under its SHA-256. */
  putBlob(text: string): Promise<string>;
  getBlob(hash: string): string | undefined;
  /**
   * Rows, cursors and usage in one transaction; rows of a file come in the order of their places, so that those of a batch
   * that is repeated, at once or later, are known. A power cut may take the last ones away, which can be read again.
   */
  ingest(batch: Batch): Promise<void>;
  /** Where reading goes on; 0 for a file never read. */
  cursor(attempt: string, file: OutputFile): number;
  /** How often the file shrank so far; rows and cursors that follow carry it. */
  generation(attempt: string, file: OutputFile): number;
  /** The attempt's usage as last ingested. */
  usage(attempt: string): unknown;
  /** Rows of an attempt in the order of their ids. */
  transcript(query: TranscriptQuery): TranscriptEntry[];
  /** Rows of all attempts of a run in the order of their ids; possibly fewer than asked for, but none only where none is left. */
  runTranscript(query: RunTranscriptQuery): TranscriptEntry[];
  /** How many rows an attempt has; as quick for a million as for one. */
  rowCount(attempt: string): number;
  /** Rows by their place; as quick at the end of a million as at the beginning. */
  page(query: PageQuery): TranscriptEntry[];
  /** How many rows of the attempt come before this id. */
  offsetOf(attempt: string, id: number): number;
  /** Rows of one attempt that hold every word of the text, the last of which may be only begun; the first ones first. */
  find(query: FindQuery): Found[];
  /** Rows that hold every word of the text, newest first; any text is a valid query. */
  search(query: SearchQuery): SearchHit[];
  /** Everything that is stored about a run; role texts stay, because other runs share them. */
  takeOut(run: string): Omit<RunRecord, 'texts'>;
  /** Removes a run that is still at this version, and all that was said in it; `also` is written in the same transaction. */
  forget(run: string, version: number, also?: readonly Write[]): Promise<void>;
  /** Stores a run again that was taken out and forgotten. */
  putBack(record: RunRecord): Promise<void>;
  /** Tells of each append after its commit, in order; returns the way to stop it. */
  onAppend(listener: (events: StoredEvent[]) => void): () => void;
  /** Tells of the rows each ingestion added, after its commit, in order; returns the way to stop it. */
  onTranscript(listener: (rows: TranscriptEntry[]) => void): () => void;
}
