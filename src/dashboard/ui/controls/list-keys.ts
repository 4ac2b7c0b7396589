import { type KeyboardEvent, useCallback, useState } from 'react';

/** Keyboard navigation of a list with one current row. */
export type ListKeys = {
  /** The index of the current row. */
  current: number;
  onKeyDown(event: KeyboardEvent<HTMLElement>): void;
  /** The props of a row, for focus and keyboard navigation. */
  rowProps(index: number): { 'data-row': number; tabIndex: number; onFocus(): void };
};

const STEPS: Readonly<Record<string, number>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

/** Moves through the rows of a list with j and k or the arrows, Home and End. Other keys go to `onKey`, once while they are held. */
export function useListKeys(length: number, onKey: (key: string, index: number) => boolean): ListKeys {
  const [kept, setCurrent] = useState(0);
  const current = Math.max(0, Math.min(kept, length - 1));
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const here = rowOf(event.target) ?? current;
    const step = STEPS[event.key];
    const to =
      step !== undefined ? here + step : event.key === 'Home' ? 0 : event.key === 'End' ? length - 1 : undefined;
    if (to !== undefined) {
      const next = Math.max(0, Math.min(to, length - 1));
      setCurrent(next);
      event.currentTarget.querySelector<HTMLElement>(`[data-row="${next}"]`)?.focus();
      event.preventDefault();
    } else if (!event.repeat && isRow(event.target) && onKey(event.key, here)) event.preventDefault();
  };
  const rowProps = useCallback(
    (index: number) => ({ 'data-row': index, tabIndex: index === current ? 0 : -1, onFocus: () => setCurrent(index) }),
    [current],
  );
  return { current, onKeyDown, rowProps };
}

/** The index of the row with the focus, which other rows than before may precede now. */
function rowOf(target: EventTarget): number | undefined {
  const row = target instanceof HTMLElement ? target.closest<HTMLElement>('[data-row]') : null;
  return row === null ? undefined : Number(row.dataset.row);
}

/** Whether key presses go to an input field. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** Buttons and links inside a row handle Enter themselves. */
function isRow(target: EventTarget): boolean {
  return target instanceof HTMLElement && target.dataset.row !== undefined;
}
