import { useEffect, useRef, useState } from 'react';

/** The browser's time in milliseconds. */
export function now(): number {
  return Date.now();
}

/** Calls once after a delay; returns a function that cancels it. */
export function after(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
}

/** Calls when the browser is idle, after at most half a second; returns a function that cancels it. */
export function whenIdle(call: () => void): () => void {
  if (typeof requestIdleCallback === 'undefined') return after(0, call);
  const handle = requestIdleCallback(call, { timeout: 500 });
  return () => cancelIdleCallback(handle);
}

/** The time, updated at an interval while the tab is visible. */
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

/** A value that is updated at most once per interval. */
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
