import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { after } from '../../../ui/browser/clock.ts';
import { foldRows, type Item, indexOfRow } from './fold-rows.ts';
import {
  type Gaps,
  gapHeights,
  isAtNewest,
  type LoadedRows,
  type ScrollTarget,
  scrollTargetAt,
} from './loaded-rows.ts';
import type { Transcript } from './use-transcript.ts';

type List = Virtualizer<HTMLElement, HTMLDivElement>;
type Target = { row: number } | ScrollTarget | 'end';

/** The rendered items of a transcript and its scroll position. */
export type TranscriptList = {
  items: readonly Item[];
  list: List;
  gaps: Gaps;
  /** Whether the end is in view and stays in view as rows are added. */
  isFollowing: boolean;
  /** The row at the scroll position, while no row is loaded there. */
  targetRow: number | undefined;
  goTo(target: Target): void;
  /** Stops following the end, so that the visible rows stay in place. */
  stopFollowing(): void;
};

const NEAR_PX = 1_200;
const NEAR_END_PX = 48;
/** The list needs a few frames to reach its scroll target. */
const SETTLING_MS = 250;
const USUAL_HEIGHT = 28;

/** Renders only the visible items, loads rows on demand, and keeps the scroll position stable. */
export function useTranscriptList(transcript: Transcript, scroller: RefObject<HTMLElement | null>): TranscriptList {
  const { window, followed, more } = transcript;
  const rows = window?.rows;
  const items = useMemo(() => foldRows(rows ?? []), [rows]);
  const gaps = useMemo(() => (window === undefined ? { before: 0, after: 0 } : gapHeights(window)), [window]);
  const [isFollowing, setFollowing] = useState(true);
  const [targetRow, setTargetRow] = useState<number>();
  const follow = useCallback(
    (on: boolean) => {
      followed.current = on;
      setFollowing(on);
    },
    [followed],
  );
  const list: List = useVirtualizer<HTMLElement, HTMLDivElement>({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => USUAL_HEIGHT,
    getItemKey: (index) => items[index]?.id ?? index,
    overscan: 12,
    paddingStart: gaps.before,
    paddingEnd: gaps.after,
    anchorTo: 'end',
    scrollEndThreshold: isFollowing ? NEAR_END_PX : -1,
  });
  const { goTo, isScrollingTo } = useScrollTo(transcript, { items, list, follow });

  useLayoutEffect(() => {
    if (window !== undefined && followed.current && isAtNewest(window) && items.length > 0) list.scrollToEnd();
  }, [window, items, list, followed]);

  const { isScrolling } = list;
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null || window === undefined) return;
    const update = () => {
      if (isScrollingTo) return;
      const target = scrollTargetAt(window, gaps, element);
      setTargetRow(target?.offset);
      if (target !== undefined) {
        if (!isScrolling) goTo(target);
        return;
      }
      const bottom = element.scrollTop + element.clientHeight;
      if (element.scrollTop - gaps.before < NEAR_PX) more('before');
      if (element.scrollHeight - gaps.after - bottom < NEAR_PX) more('after');
    };
    const onScroll = () => {
      const fromEnd = element.scrollHeight - element.scrollTop - element.clientHeight;
      const isAtEnd = isAtNewest(window) && fromEnd < NEAR_END_PX;
      if (isAtEnd || list.scrollDirection === 'backward') follow(isAtEnd);
      update();
    };
    update();
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => element.removeEventListener('scroll', onScroll);
  }, [window, gaps, list, scroller, isScrolling, isScrollingTo, goTo, more, follow]);

  const stopFollowing = useCallback(() => follow(false), [follow]);
  return { items, list, gaps, isFollowing, targetRow, goTo, stopFollowing };
}

type ScrollTo = { goTo(target: Target): void; isScrollingTo: boolean };
type ListContext = { items: readonly Item[]; list: List; follow(on: boolean): void };

/** Scrolls to a target and loads its rows first if needed; the latest target wins. */
function useScrollTo(transcript: Transcript, { items, list, follow }: ListContext): ScrollTo {
  const [isScrollingTo, setScrollingTo] = useState(false);
  const [arrived, setArrived] = useState<{ target: Target }>();
  const requested = useRef<Target>(undefined);
  const reached = useRef<object>(undefined);
  const { window, goTo, goToRow, goToEnd } = transcript;
  const loaded = useRef(window);
  loaded.current = window;

  useLayoutEffect(() => {
    if (arrived === undefined || reached.current === arrived || window === undefined || items.length === 0) return;
    reached.current = arrived;
    requested.current = undefined;
    if (arrived.target === 'end') list.scrollToEnd();
    else list.scrollToIndex(indexOf(arrived.target, { window, items }), { align: alignOf(arrived.target) });
  }, [arrived, items, list, window]);

  useEffect(() => (arrived === undefined ? undefined : after(SETTLING_MS, () => setScrollingTo(false))), [arrived]);

  const go = useCallback(
    (target: Target) => {
      if (same(requested.current, target)) return;
      requested.current = target;
      setScrollingTo(true);
      follow(target === 'end');
      const arrive = () => {
        if (requested.current === target) setArrived({ target });
      };
      if (loaded.current !== undefined && holds(loaded.current, target)) arrive();
      else
        read(target, { goTo, goToRow, goToEnd }).then(arrive, () => {
          if (requested.current === target) requested.current = undefined;
          setScrollingTo(false);
        });
    },
    [follow, goTo, goToRow, goToEnd],
  );
  return { goTo: go, isScrollingTo };
}

function alignOf(target: { row: number } | ScrollTarget): 'center' | 'start' | 'end' {
  return 'row' in target ? 'center' : target.at;
}

function read(target: Target, how: Pick<Transcript, 'goTo' | 'goToRow' | 'goToEnd'>): Promise<void> {
  if (target === 'end') return how.goToEnd();
  return 'row' in target ? how.goToRow(target.row) : how.goTo(target.offset);
}

function same(a: Target | undefined, b: Target): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function holds(window: LoadedRows, target: Target): boolean {
  if (target === 'end') return isAtNewest(window);
  if ('row' in target) return window.rows.some(({ id }) => id === target.row);
  return target.offset >= window.start && target.offset < window.start + window.rows.length;
}

function indexOf(
  target: { row: number } | ScrollTarget,
  loaded: { window: LoadedRows; items: readonly Item[] },
): number {
  const row = 'row' in target ? target.row : loaded.window.rows[target.offset - loaded.window.start]?.id;
  return Math.max(0, indexOfRow(loaded.items, row ?? 0));
}
