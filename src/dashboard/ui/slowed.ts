import { useEffect, useRef, useState } from 'react';
import { after } from './clock.ts';

/** A value that changes at most once in a while, and never stays behind for longer than that. */
export function useSlowed<T>(value: T, ms: number): T {
  const [shown, setShown] = useState(value);
  const latest = useRef(value);
  const callOff = useRef<(() => void) | undefined>(undefined);
  latest.current = value;
  useEffect(() => {
    if (ms === 0 || Object.is(value, shown) || callOff.current !== undefined) return;
    callOff.current = after(ms, () => {
      callOff.current = undefined;
      setShown(latest.current);
    });
  }, [value, shown, ms]);
  useEffect(
    () => () => {
      callOff.current?.();
      callOff.current = undefined;
    },
    [],
  );
  return ms === 0 ? value : shown;
}
