import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import styles from './virtual-list.module.css';

const MIN_HEIGHT_PX = 320;

const MARGIN_PX = 24;

type VirtualListProps = {
  label: string;
  count: number;
  rowHeight: number;
  keyOf(index: number): string;
  /** A sticky header above the rows. */
  head?: ReactNode;
  /** Free space below the list in pixels. */
  below?: number;
  /** Keeps the end in view as rows are added, if it is in view. */
  follow?: boolean;
  children(index: number): ReactNode;
};

const NEAR_END_PX = 40;

/** The height of rows that can be touched, or that have a second line on a narrow screen. */
const LARGE_ROW_PX = 44;
const NEEDS_LARGE_ROWS = '(max-width: 720px), (pointer: coarse)';

/** The height of the rows of a list: `dense` with a mouse on a wide screen. */
export function useRowHeight(dense: number): number {
  const [isLarge] = useState(() => window.matchMedia(NEEDS_LARGE_ROWS).matches);
  return isLarge ? LARGE_ROW_PX : dense;
}

/** A list of rows of equal height that renders only the visible ones; arrow keys move between rows. */
export function VirtualList(props: VirtualListProps): ReactElement {
  const { label, count, rowHeight, keyOf, head, below = 0, follow, children } = props;
  const box = useRef<HTMLDivElement>(null);
  const height = useAvailableHeight(box, below);
  const isAtEnd = useRef(true);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    getItemKey: keyOf,
    overscan: 8,
  });
  useEffect(() => {
    if (follow === true && isAtEnd.current && count > 0) box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [count, follow]);

  const onScroll = () => {
    const at = box.current;
    if (at !== null) isAtEnd.current = at.scrollHeight - at.scrollTop - at.clientHeight < NEAR_END_PX;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const here = rowOf(event.target);
    const next = here === undefined ? undefined : nextRow(event.key, here, count);
    if (next === undefined) return;
    event.preventDefault();
    virtual.scrollToIndex(next);
    requestAnimationFrame(() => focusRow(box.current, next));
  };
  return (
    <section
      ref={box}
      className={styles.box}
      style={{ maxHeight: height }}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be focusable with the keyboard
      tabIndex={0}
      aria-label={label}
      {...{ onScroll, onKeyDown }}
    >
      {head}
      <ul className={styles.rows} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ key, index, start, size }) => (
          <li
            key={key}
            aria-setsize={count}
            aria-posinset={index + 1}
            data-index={index}
            className={styles.row}
            style={{ transform: `translateY(${start}px)`, height: size }}
          >
            {children(index)}
          </li>
        ))}
      </ul>
    </section>
  );
}

function rowOf(target: EventTarget): number | undefined {
  const row = target instanceof HTMLElement ? target.closest<HTMLElement>('[data-index]') : null;
  const index = row?.getAttribute('data-index');
  return index == null ? undefined : Number(index);
}

function nextRow(key: string, here: number, count: number): number | undefined {
  if (key === 'ArrowDown') return Math.min(here + 1, count - 1);
  if (key === 'ArrowUp') return Math.max(here - 1, 0);
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  return undefined;
}

function focusRow(box: HTMLElement | null, index: number): void {
  box?.querySelector<HTMLElement>(`[data-index="${index}"] :is(a, button)`)?.focus({ preventScroll: true });
}

/** The height between the top of the list and the bottom of the screen. */
function useAvailableHeight(box: RefObject<HTMLElement | null>, below: number): number {
  const [height, setHeight] = useState(MIN_HEIGHT_PX);
  useLayoutEffect(() => {
    const measure = () => {
      const top = box.current?.getBoundingClientRect().top ?? 0;
      const bottom = box.current?.closest('main')?.getBoundingClientRect().bottom ?? window.innerHeight;
      setHeight(Math.max(MIN_HEIGHT_PX, bottom - top - below - MARGIN_PX));
    };
    measure();
    window.addEventListener('resize', measure);
    return () => window.removeEventListener('resize', measure);
  }, [box, below]);
  return height;
}
