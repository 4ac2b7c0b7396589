import { useEffect, useState } from 'react';
import { after } from '../browser/clock.ts';

const DELAY_MS = 250;

/** The text of a field; `onChange` gets it trimmed, once no key was pressed for a moment. */
export function useDebouncedText(applied: string, onChange: (text: string) => void): [string, (text: string) => void] {
  const [typed, setTyped] = useState(applied);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing restarts the delay
  useEffect(() => {
    if (typed.trim() === applied) return;
    return after(DELAY_MS, () => onChange(typed.trim()));
  }, [typed]);
  return [typed, setTyped];
}
