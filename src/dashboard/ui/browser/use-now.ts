import { useEffect, useRef, useState } from 'react';
import { after, every, now } from './clock.ts';

/** The time, updated at an interval while the tab is visible. */
export function useNow(stepMs = 1_000): number {
  const [time, setTime] = useState(now);
  useEffect(() => {
    const tick = () => {
      if (document.visibilityState === 'visible') setTime(now());
    };
    const stop = every(stepMs, tick);
    document.addEventListener('visibilitychange', tick);
    return () => {
      stop();
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
