import type { RunState } from '../core/run/state.ts';
import type { OperationChecked, OperationOutput } from '../operations/contracts.ts';
import type { BatchDocument } from '../schema/batch.ts';
import type { RunOverview, RunsItem } from '../schema/overview.ts';
import type { Template } from '../schema/template.ts';
import type { TranscriptLine } from '../schema/transcript-page.ts';

/** All runs as lists show them; each is folded once for as long as nothing happens in it. */
export interface OverviewPort {
  /** Newest first. */
  all(): RunOverview[];
  of(run: string): RunOverview;
  /** The runs as they stand (at first only those of `project`, if one is named), then, in the engine's process, each as it changes until the signal aborts. */
  watch(from: { after: number; limit: number; project?: string }, signal: AbortSignal): AsyncIterable<RunsItem>;
}

/** A place in a transcript that holds what was searched for. */
export type SearchHitRow = { id: number; attempt: string; at: number; kind: string; excerpt: string };

/** What agents said, by attempt: the attempt's name is that of `attemptId`. */
export interface TranscriptsPort {
  count(attempt: string): number;
  page(query: { attempt: string; offset: number; limit: number }): TranscriptLine[];
  offsetOf(attempt: string, row: number): number;
  find(query: { attempt: string; text: string; after: number; limit: number }): { id: number; excerpt: string }[];
  /** Newest first. */
  search(query: { text: string; limit: number; before?: number; run?: string }): SearchHitRow[];
  /** Runs to which tasks were added that mention every word, the newest first. */
  mentioning(words: readonly string[], limit: number): string[];
}

/** A run that is only in an archive. */
export type ArchivedRun = { state: RunState; file: string };

/** The files that a person keeps: work, batches, templates, settings. */
export interface FilesPort {
  isFolder(path: string): boolean;
  readWork(asked: OperationChecked<'read-work-file'>): Promise<OperationOutput<'read-work-file'>>;
  batches(dir: string): Promise<OperationOutput<'list-batches'>>;
  batch(dir: string, name: string): Promise<BatchDocument>;
  saveTemplate(asked: OperationChecked<'save-template'>): Promise<Template>;
  removeTemplate(asked: OperationChecked<'remove-template'>): Promise<OperationOutput<'remove-template'>>;
  readSettings(asked: OperationChecked<'read-settings'>): Promise<OperationOutput<'read-settings'>>;
  writeSettings(asked: OperationChecked<'write-settings'>): Promise<OperationOutput<'write-settings'>>;
}
