import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { type ReactElement, useEffect, useLayoutEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { ScrollArea } from '../layout/scroll-area.tsx';
import { visibleText } from '../text/visible-text.ts';
import styles from './diff.module.css';
import { DiffRowView } from './diff-row.tsx';
import type { DiffRow } from './diff-rows.ts';
import { languageCount, onLanguage } from './highlight.ts';
import { type DiffActions, type LineActions, useDiffKeys } from './use-diff-keys.ts';

type DiffListProps = {
  rows: readonly DiffRow[];
  scrollTarget: { key: string } | undefined;
  draft: { current: string };
  actions: DiffActions;
};

const HEIGHTS: Record<DiffRow['row'], number> = {
  file: 40,
  note: 36,
  hunk: 26,
  line: 24,
  pair: 24,
  comment: 72,
  editor: 150,
};

/** The visible rows of a diff. */
export function DiffList({ rows, scrollTarget, draft, actions }: DiffListProps): ReactElement {
  const scroller = useRef<HTMLElement>(null);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => HEIGHTS[rows[index]?.row ?? 'line'],
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 20,
  });
  const languages = useLanguageCount();
  const keys = useDiffKeys(rows, { actions, show: (index) => list.scrollToIndex(index, { align: 'auto' }) });
  const backAfter =
    <A extends unknown[]>(done: (...given: A) => void) =>
    (...given: A) => {
      done(...given);
      scroller.current?.focus();
    };
  const lineActions = { ...keys.actions, stop: backAfter(keys.actions.stop), save: backAfter(keys.actions.save) };
  const stable = useStable(lineActions);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls once, when a file is chosen
  useEffect(() => {
    const index = rows.findIndex(({ key }) => key === scrollTarget?.key);
    if (index >= 0) list.scrollToIndex(index, { align: 'start' });
  }, [scrollTarget]);
  const drawn = list.getVirtualItems();
  const top = rows[drawn.find(({ end }) => end > (list.scrollOffset ?? 0))?.index ?? 0];
  useReadingPosition(rows, list, top?.key);
  return (
    <div className={styles.frame}>
      <ScrollArea ref={scroller} className={styles.scroller} label="Diff" onKeyDown={keys.onKeyDown}>
        <div className={styles.sizer} style={{ height: list.getTotalSize() }}>
          {drawn.map(({ index, key, start }) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <div
                key={key}
                ref={list.measureElement}
                data-index={index}
                className={styles.place}
                style={{ transform: `translateY(${start}px)` }}
              >
                <DiffRowView
                  row={row}
                  cursor={keys.cursor?.index === index ? keys.cursor.side : undefined}
                  selected={keys.selected}
                  draft={draft}
                  languages={languages}
                  actions={stable}
                />
              </div>
            );
          })}
        </div>
      </ScrollArea>
      {top === undefined || top.row === 'file' ? null : (
        <div className={styles.sticky} aria-hidden="true">
          {visibleText(top.file.path)}
        </div>
      )}
      <p className="visually-hidden" role="status">
        {keys.announcement}
      </p>
    </div>
  );
}

/** Keeps the first visible row where it is when the rows of new work appear before it. */
function useReadingPosition(
  rows: readonly DiffRow[],
  list: Virtualizer<HTMLElement, Element>,
  top: string | undefined,
): void {
  const last = useRef({ rows, top, within: 0 });
  useLayoutEffect(() => {
    const startOf = (key: string | undefined) => {
      const index = rows.findIndex((row) => row.key === key);
      return index < 0 ? undefined : list.measurementsCache[index]?.start;
    };
    if (last.current.rows !== rows) {
      const start = startOf(last.current.top);
      last.current = { ...last.current, rows };
      if (start !== undefined) list.scrollToOffset(start + last.current.within);
    } else if (last.current.top !== top || list.isScrolling)
      last.current = { rows, top, within: (list.scrollOffset ?? 0) - (startOf(top) ?? 0) };
  });
}

/** The number of loaded languages; rows are rendered again when it changes. */
function useLanguageCount(): number {
  return useSyncExternalStore(onLanguage, languageCount);
}

/** The same actions with a stable identity, so that memoized rows are not rendered again. */
function useStable(actions: LineActions): LineActions {
  const latest = useRef(actions);
  latest.current = actions;
  return useMemo(
    () => ({
      toggle: (path) => latest.current.toggle(path),
      view: (path) => latest.current.view(path),
      select: (selection) => latest.current.select(selection),
      edit: (comment) => latest.current.edit(comment),
      remove: (comment) => latest.current.remove(comment),
      save: (text) => latest.current.save(text),
      stop: () => latest.current.stop(),
      selectLine: (row, side, isMore) => latest.current.selectLine(row, side, isMore),
    }),
    [],
  );
}
