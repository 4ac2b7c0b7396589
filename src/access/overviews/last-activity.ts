import { activityOf } from '../../core/view/activity.ts';
import type { AttemptActivity } from '../../core/view/overview.ts';
import { Usage } from '../../schema/usage.ts';
import type { Store, TranscriptEntry } from '../../store/store.ts';

/** The number of stored rows that are searched for the last activity of an attempt. */
const SEARCHED_ROWS = 50;

type Activity = { at: number; activity: string | null };

/** The last activity of running attempts: read from the store once, then updated as rows are stored. */
export class LastActivity {
  readonly #activities = new Map<string, Activity>();
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Updates the attempts that were requested before; rows of other attempts are ignored. */
  update(rows: readonly TranscriptEntry[]): void {
    for (const row of rows) {
      const activity = this.#activities.get(row.attempt);
      if (activity === undefined) continue;
      activity.at = row.at;
      activity.activity = activityOf(row) ?? activity.activity;
    }
  }

  /** Drops an attempt that has ended. */
  forget(attempt: string): void {
    this.#activities.delete(attempt);
  }

  /** Drops everything when updates stop, because it would become stale. */
  forgetAll(): void {
    this.#activities.clear();
  }

  of(attempt: string): AttemptActivity {
    const activity = this.#activities.get(attempt) ?? this.#read(attempt);
    this.#activities.set(attempt, activity);
    const usage = Usage.safeParse(this.#store.usage(attempt));
    const known = usage.success && usage.data.kind === 'known' ? usage.data : undefined;
    return { ...activity, costUsd: known?.costUsd ?? null, turns: known?.turns ?? 0 };
  }

  #read(attempt: string): Activity {
    const offset = Math.max(this.#store.rowCount(attempt) - SEARCHED_ROWS, 0);
    const rows = this.#store.page({ attempt, offset, limit: SEARCHED_ROWS });
    const activity = rows.map(activityOf).findLast((what) => what !== null) ?? null;
    return { at: rows.at(-1)?.at ?? 0, activity };
  }
}
