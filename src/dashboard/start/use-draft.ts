import { useCallback, useState } from 'react';
import { useSearchParams } from 'wouter';
import { type Draft, readDraft, withAddress } from './draft.ts';

const KEY = 'manyhands.start';

/** What is typed for a new run; it outlives a reload, and an address may ask for parts of it. */
export function useDraft(): [Draft, (change: Partial<Draft>) => void] {
  const [params] = useSearchParams();
  const [draft, setDraft] = useState(() => withAddress(readDraft(sessionStorage.getItem(KEY)), params));
  const change = useCallback((some: Partial<Draft>) => {
    setDraft((before) => {
      const next = { ...before, ...some };
      sessionStorage.setItem(KEY, JSON.stringify(next));
      return next;
    });
  }, []);
  return [draft, change];
}
