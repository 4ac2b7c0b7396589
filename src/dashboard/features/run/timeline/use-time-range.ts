import { type RefObject, useEffect, useRef, useState } from 'react';
import { moved, type Span, zoomed } from './time-range.ts';

/** What part of the time is in sight, and the ways to change it. */
export type SpanView = {
  span: Span;
  isWhole: boolean;
  zoom(factor: number): void;
  fit(): void;
};

const STEP = 1.5;

/** All of the time until one zooms in: by keys (+, -, 0, left and right), or by the wheel with Ctrl held. */
export function useSpan(whole: Span, box: RefObject<HTMLElement | null>): SpanView {
  const [chosen, setChosen] = useState<Span | null>(null);
  const span = chosen ?? whole;
  const current = useRef({ span, whole });
  current.current = { span, whole };

  const change = (next: (span: Span, whole: Span) => Span) => {
    const made = next(current.current.span, current.current.whole);
    const all = current.current.whole;
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
  const hear = useRef({ wheel, key });
  hear.current = { wheel, key };
  useEffect(() => {
    const element = box.current;
    const onWheel = (event: WheelEvent) => hear.current.wheel(event);
    const onKey = (event: KeyboardEvent) => hear.current.key(event);
    element?.addEventListener('wheel', onWheel, { passive: false });
    element?.addEventListener('keydown', onKey);
    return () => {
      element?.removeEventListener('wheel', onWheel);
      element?.removeEventListener('keydown', onKey);
    };
  }, [box]);

  return { span, isWhole: chosen === null, zoom, fit: () => setChosen(null) };
}
