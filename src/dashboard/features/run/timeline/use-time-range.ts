import { type RefObject, useEffect, useRef, useState } from 'react';
import { moved, type TimeRange, zoomed } from './time-range.ts';

/** The visible time range and its zoom functions. */
export type TimeRangeView = {
  range: TimeRange;
  isFull: boolean;
  zoom(factor: number): void;
  fit(): void;
};

const STEP = 1.5;

/** The full range until the user zooms: with the keys +, -, 0 and the arrows, or with Ctrl and the wheel. */
export function useTimeRange(full: TimeRange, box: RefObject<HTMLElement | null>): TimeRangeView {
  const [chosen, setChosen] = useState<TimeRange | null>(null);
  const range = chosen ?? full;
  const current = useRef({ range, full });
  current.current = { range, full };

  const change = (next: (range: TimeRange, full: TimeRange) => TimeRange) => {
    const made = next(current.current.range, current.current.full);
    const all = current.current.full;
    setChosen(made.from <= all.from && made.to >= all.to ? null : made);
  };
  const zoom = (factor: number, around = 0.5) => change((from, all) => zoomed(from, all, { factor, around }));
  const wheel = (event: WheelEvent) => {
    const lane = box.current?.querySelector('[data-lanes]')?.getBoundingClientRect();
    if (lane === undefined) return;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      const around = Math.min(Math.max((event.clientX - lane.left) / lane.width, 0), 1);
      zoom(event.deltaY > 0 ? STEP : 1 / STEP, around);
    } else if (chosen !== null && Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      change((from, all) => moved(from, all, event.deltaX / lane.width));
    }
  };
  const key = ({ key: pressed, ctrlKey, metaKey }: KeyboardEvent) => {
    if (ctrlKey || metaKey) return;
    if (pressed === '+' || pressed === '=') zoom(1 / STEP);
    if (pressed === '-') zoom(STEP);
    if (pressed === '0') setChosen(null);
    if (pressed === 'ArrowLeft') change((from, all) => moved(from, all, -0.2));
    if (pressed === 'ArrowRight') change((from, all) => moved(from, all, 0.2));
  };
  const handlers = useRef({ wheel, key });
  handlers.current = { wheel, key };
  useEffect(() => {
    const element = box.current;
    const onWheel = (event: WheelEvent) => handlers.current.wheel(event);
    const onKey = (event: KeyboardEvent) => handlers.current.key(event);
    element?.addEventListener('wheel', onWheel, { passive: false });
    element?.addEventListener('keydown', onKey);
    return () => {
      element?.removeEventListener('wheel', onWheel);
      element?.removeEventListener('keydown', onKey);
    };
  }, [box]);

  return { range, isFull: chosen === null, zoom, fit: () => setChosen(null) };
}
