import type { DiffRow } from './diff-rows.ts';
import type { DraftComment } from './review.ts';
import type { Selection, Side } from './selection.ts';

/** What can be done in a diff. */
export type DiffActs = {
  toggle(path: string): void;
  select(selection: Selection): void;
  edit(comment: DraftComment): void;
  remove(comment: DraftComment): void;
  save(text: string): void;
  stop(): void;
};

/** What a click on a line's number does besides: it selects, with Shift from what was selected before. */
export type LineActs = DiffActs & { pick(row: DiffRow, side: Side, isMore: boolean): void };
