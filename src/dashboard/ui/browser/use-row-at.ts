import { type RefCallback, useCallback } from 'react';

const CURRENT = '[aria-current="page"], [aria-selected="true"]';

/** Scrolls a row that is wider than the screen to its current entry, whenever `key` changes. The page stays where it is. */
export function useRowAt(key: string): RefCallback<HTMLElement> {
  // biome-ignore lint/correctness/useExhaustiveDependencies: React calls a new callback again, with the same row
  return useCallback(
    (row: HTMLElement | null) => {
      const entry = row?.querySelector(CURRENT);
      if (row === null || !entry) return;
      const [outer, inner] = [row.getBoundingClientRect(), entry.getBoundingClientRect()];
      row.scrollLeft += inner.left + inner.width / 2 - (outer.left + outer.width / 2);
    },
    [key],
  );
}
