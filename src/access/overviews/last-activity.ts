import { activityOf } from '../../core/view/activity.ts';
import type { AttemptActivity } from '../../core/view/overview.ts';
import { Usage } from '../../schema/usage.ts';
import type { Store, TranscriptEntry } from '../../store/store.ts';

/** So many of the last rows are looked through for something meaningful, when an attempt was not listened to so far. */
const LOOKED_BACK = 50;

type Sign = { at: number; activity: string | null };

/** What was last heard of attempts under way: listened to as rows are stored, and looked up once where it was not. */
export class LastActivity {
  readonly #signs = new Map<string, Sign>();
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Takes note of stored rows; of attempts that nobody asked about so far, nothing. */
  hear(rows: readonly TranscriptEntry[]): void {
    for (const row of rows) {
      const sign = this.#signs.get(row.attempt);
      if (sign === undefined) continue;
      sign.at = row.at;
      sign.activity = activityOf(row) ?? sign.activity;
    }
  }

  /** Nothing more comes of an attempt. */
  forget(attempt: string): void {
    this.#signs.delete(attempt);
  }

  /** Nobody listens any more: what was heard so far would grow old. */
  forgetAll(): void {
    this.#signs.clear();
  }

  of(attempt: string): AttemptActivity {
    const sign = this.#signs.get(attempt) ?? this.#look(attempt);
    this.#signs.set(attempt, sign);
    const usage = Usage.safeParse(this.#store.usage(attempt));
    const known = usage.success && usage.data.kind === 'known' ? usage.data : undefined;
    return { ...sign, costUsd: known?.costUsd ?? null, turns: known?.turns ?? 0 };
  }

  #look(attempt: string): Sign {
    const offset = Math.max(this.#store.rowCount(attempt) - LOOKED_BACK, 0);
    const rows = this.#store.page({ attempt, offset, limit: LOOKED_BACK });
    const activity = rows.map(activityOf).findLast((what) => what !== null) ?? null;
    return { at: rows.at(-1)?.at ?? 0, activity };
  }
}
