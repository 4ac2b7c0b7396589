import { useEffect, useRef, useState } from 'react';

/** The time in milliseconds, as this browser knows it. */
export function now(): number {
  return Date.now();
}

/** Calls once after a time; returns the way to call it off. */
export function after(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
}

/** Calls when the browser has nothing better to do, at the latest after half a second; returns the way to call it off. */
export function whenIdle(call: () => void): () => void {
  if (typeof requestIdleCallback === 'undefined') return after(0, call);
  const handle = requestIdleCallback(call, { timeout: 500 });
  return () => cancelIdleCallback(handle);
}

/** The time, asked again every so often while the page is looked at; nothing ticks in a hidden tab. */
export function useNow(stepMs = 1_000): number {
  const [time, setTime] = useState(now);
  useEffect(() => {
    const tick = () => {
      if (document.visibilityState === 'visible') setTime(now());
    };
    const timer = setInterval(tick, stepMs);
    document.addEventListener('visibilitychange', tick);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', tick);
    };
  }, [stepMs]);
  return time;
}

/** A value that changes at most once in a while, and never stays behind for longer than that. */
export function useThrottled<T>(value: T, ms: number): T {
  const [shown, setShown] = useState(value);
  const latest = useRef(value);
  const cancelTimer = useRef<(() => void) | undefined>(undefined);
  latest.current = value;
  useEffect(() => {
    if (ms === 0 || Object.is(value, shown) || cancelTimer.current !== undefined) return;
    cancelTimer.current = after(ms, () => {
      cancelTimer.current = undefined;
      setShown(latest.current);
    });
  }, [value, shown, ms]);
  useEffect(
    () => () => {
      cancelTimer.current?.();
      cancelTimer.current = undefined;
    },
    [],
  );
  return ms === 0 ? value : shown;
}
