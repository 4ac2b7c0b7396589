import { useEffect, useState } from 'react';
import { after } from '../../ui/clock.ts';

const QUIET_MS = 250;

/** What is typed, and what of it is to be looked for: told once no key was pressed for a moment. */
export function useTyped(asked: string, onAsk: (text: string) => void): [string, (text: string) => void] {
  const [typed, setTyped] = useState(asked);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed begins the wait anew
  useEffect(() => {
    if (typed.trim() === asked) return;
    return after(QUIET_MS, () => onAsk(typed.trim()));
  }, [typed]);
  return [typed, setTyped];
}
