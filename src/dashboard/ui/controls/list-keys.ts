import { type KeyboardEvent, useCallback, useState } from 'react';

/** A list in which one row at a time is the current one. */
export type ListKeys = {
  /** The place of the current row. */
  current: number;
  onKeyDown(event: KeyboardEvent<HTMLElement>): void;
  /** What a row carries so that keys and the eye find it. */
  rowProps(index: number): { 'data-row': number; tabIndex: number; onFocus(): void };
};

const STEPS: Readonly<Record<string, number>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

/** Moves through the rows of a list by j and k or the arrows; Home and End go to its ends. Other keys are told to `onKey`. */
export function useListKeys(length: number, onKey: (key: string, index: number) => boolean): ListKeys {
  const [kept, setCurrent] = useState(0);
  const current = Math.max(0, Math.min(kept, length - 1));
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const step = STEPS[event.key];
    const to =
      step !== undefined ? current + step : event.key === 'Home' ? 0 : event.key === 'End' ? length - 1 : undefined;
    if (to !== undefined) {
      const next = Math.max(0, Math.min(to, length - 1));
      setCurrent(next);
      event.currentTarget.querySelector<HTMLElement>(`[data-row="${next}"]`)?.focus();
      event.preventDefault();
    } else if (isRow(event.target) && onKey(event.key, current)) event.preventDefault();
  };
  const rowProps = useCallback(
    (index: number) => ({ 'data-row': index, tabIndex: index === current ? 0 : -1, onFocus: () => setCurrent(index) }),
    [current],
  );
  return { current, onKeyDown, rowProps };
}

/** Whether keys go into a field. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** A button or a link inside of a row takes Enter for itself. */
function isRow(target: EventTarget): boolean {
  return target instanceof HTMLElement && target.dataset.row !== undefined;
}
