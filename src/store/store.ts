import type { Origin } from '../schema/actor.ts';
import type { RunRecord } from '../schema/keeping.ts';
import type { ChainHead, ChainLink } from './chain.ts';
import type { HostOrder } from './fleet.ts';

/** A stored event: versions count from 1 without gaps within a stream, positions order all streams. */
export type StoredEvent = {
  stream: string;
  version: number;
  position: number;
  at: number;
  type: string;
  data: unknown;
  /** Who caused it; absent in events of earlier versions, and of the engine itself. */
  origin?: Origin;
};

type NewEvent = { type: string; data: unknown };

/**
 * `expected` is the stream's version before the write (0: new, -1: any); without events it only checks that version.
 * `order` is sent to a host in the same transaction, and the order `finished` is removed in it, where the installation has hosts.
 */
export type Write = {
  stream: string;
  expected: number;
  events: readonly NewEvent[];
  origin?: Origin;
  order?: HostOrder | undefined;
  finished?: string | undefined;
};

export type StreamSummary = { stream: string; version: number; firstAt: number; lastAt: number };

/** A fold of a stream; `codec` is a hash of the code that folded it, so that no other code uses it. */
type Snapshot = { stream: string; version: number; codec: string; state: unknown };

export type OutputFile = 'stdout' | 'stderr';

/**
 * A line of an agent's output, or one that Manyhands added (file `engine`); `generation` counts how often the file shrank
 * and started again at 0.
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

/** A stored row; ids increase and are never reused. */
export type TranscriptEntry = TranscriptRow & { id: number };

/** How far a file was read: the first unread byte. */
export type Cursor = { file: OutputFile; offset: number; generation?: number };

/** What was read together; `usage` is the attempt's total so far, not a difference. */
export type Batch = { attempt: string; rows: readonly TranscriptRow[]; cursors: readonly Cursor[]; usage?: unknown };

export type TranscriptQuery = { attempt: string; after?: number; limit: number; kinds?: readonly string[] };

/** `after` is the id of the last row seen. */
export type RunTranscriptQuery = { run: string; after?: number; limit: number };

/** Rows by their position in the attempt, counted from 0. */
export type PageQuery = { attempt: string; offset: number; limit: number };

/** `after` is the id of the last row found before. */
export type FindQuery = { attempt: string; text: string; after: number; limit: number };

/** A row that contains the text, with the words around it. */
export type FindHit = { id: number; excerpt: string };

/** `before` is the id of the last hit seen; `run` restricts the search to one run. */
export type SearchQuery = { text: string; limit: number; before?: number; run?: string };

export type SearchHit = { id: number; attempt: string; at: number; kind: string; excerpt: string };

/** Stores events and transcripts without interpreting them; it returns only committed data. */
export interface Store extends AsyncDisposable {
  /** All or nothing over several streams; resolves after the fsync, rejects with CONFLICT when a version differs. */
  append(writes: readonly Write[], at: number): Promise<StoredEvent[]>;
  /** The events of a stream after a version, the first ones if a limit is given. */
  read(stream: string, after?: number, limit?: number): StoredEvent[];
  /** The events of all streams after a position. */
  readAll(after: number, limit: number): StoredEvent[];
  /** The events of a stream that are of one of these types. */
  readTypes(stream: string, types: readonly string[]): StoredEvent[];
  /** The position of the newest event; 0 if nothing was ever stored. */
  position(): number;
  /** The last event of a stream with its hash, which covers all events before it; undefined if it has none. */
  head(stream: string): ChainHead | undefined;
  /** The hashes of a stream's events, as stored and as computed again from their content. */
  chain(stream: string): ChainLink[];
  /** The streams whose names begin with the prefix, by name. */
  streams(prefix: string): StreamSummary[];
  /** Streams to which tasks were added that mention every word, the newest first. */
  mentioning(words: readonly string[], limit: number): string[];
  /** The position from which on read marks are recorded: older events count as read. */
  readingSince(): number;
  /** Stores the newest snapshot of a stream; an older version never replaces a newer one of the same codec. */
  saveSnapshot(snapshot: Snapshot): Promise<void>;
  /** The stream's snapshot, if it was made by this codec. */
  loadSnapshot(stream: string, codec: string): { version: number; state: unknown } | undefined;
  /** Stores a text once, under its SHA-256. */
  putBlob(text: string): Promise<string>;
  /** The text of a hash, if it is stored; throws DATA_DAMAGED where the stored text has another hash. */
  getBlob(hash: string): string | undefined;
  /** The hashes whose stored text is damaged. */
  damagedBlobs(): string[];
  /**
   * Rows, cursors and usage in one transaction; rows of a file arrive in the order of their positions, so that a repeated
   * batch adds nothing. A power failure may lose the last ones, which can be read again.
   */
  ingest(batch: Batch): Promise<void>;
  /** Where reading continues; 0 for a file that was never read. */
  cursor(attempt: string, file: OutputFile): number;
  /** How often the file has shrunk; later rows and cursors have this value. */
  generation(attempt: string, file: OutputFile): number;
  /** The attempt's usage as last ingested. */
  usage(attempt: string): unknown;
  /** Rows of an attempt in the order of their ids. */
  transcript(query: TranscriptQuery): TranscriptEntry[];
  /** Rows of all attempts of a run in the order of their ids; possibly fewer than the limit, but none only if none is left. */
  runTranscript(query: RunTranscriptQuery): TranscriptEntry[];
  /** The number of rows of an attempt, in constant time. */
  rowCount(attempt: string): number;
  /** Rows by their position, in constant time. */
  page(query: PageQuery): TranscriptEntry[];
  /** The number of rows of the attempt before this id. */
  offsetOf(attempt: string, id: number): number;
  /** Rows of one attempt that contain every word of the text, of which the last may be incomplete; oldest first. */
  find(query: FindQuery): FindHit[];
  /** Rows that contain every word of the text, newest first; any text is a valid query. */
  search(query: SearchQuery): SearchHit[];
  /** Everything that is stored about a run except role texts, which other runs share. */
  exportRun(run: string): Omit<RunRecord, 'texts'>;
  /** Deletes a run that is still at this version, with its transcripts; `also` is written in the same transaction. */
  deleteRun(run: string, version: number, also?: readonly Write[]): Promise<void>;
  /** Stores a run that was exported and deleted. */
  importRun(record: RunRecord): Promise<void>;
  /** Calls the listener after each commit of events, in order; returns the function that unsubscribes. */
  onAppend(listener: (events: StoredEvent[]) => void): () => void;
  /** Calls the listener with new transcript rows after each commit, in order; returns the function that unsubscribes. */
  onTranscript(listener: (rows: TranscriptEntry[]) => void): () => void;
}
