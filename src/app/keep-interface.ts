import type { ArchiveResult, BackupResult } from '../schema/keeping.ts';
import type { ArchivedRun } from './view-interfaces.ts';

/** Which ended runs go into archives, and whether they leave the database once their archive was read back. */
export type Archiving = { project: string | undefined; olderThanDays: number; apply: boolean; remove: boolean };

/** Keeping what is stored: copies of the database, and old runs in files. */
export interface KeepPort {
  backup(keep: number): Promise<BackupResult>;
  archive(archiving: Archiving): Promise<ArchiveResult>;
  /** The runs that are in archives only, those that were archived last first. */
  archived(): AsyncIterable<ArchivedRun>;
  /** Puts the run of an archive (a file, or a run whose archive lies where we put it) back into the database. */
  restore(archive: string): Promise<{ run: string }>;
}
