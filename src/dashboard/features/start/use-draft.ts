import { useCallback, useEffect, useState } from 'react';
import { useSearchParams } from 'wouter';
import { type Draft, readDraft, withAddress } from './draft.ts';

const KEY = 'manyhands.start';

/** What is typed for a new run; it outlives a reload. What an address asks for is put into it once. */
export function useDraft(): [Draft, (change: Partial<Draft>) => void] {
  const [params, setParams] = useSearchParams();
  const [draft, setDraft] = useState(() => withAddress(readDraft(sessionStorage.getItem(KEY)), params));
  const change = useCallback((some: Partial<Draft>) => {
    setDraft((before) => {
      const next = { ...before, ...some };
      sessionStorage.setItem(KEY, JSON.stringify(next));
      return next;
    });
  }, []);
  useEffect(() => {
    if (params.size === 0) return;
    change(withAddress(readDraft(sessionStorage.getItem(KEY)), params));
    setParams({}, { replace: true });
  }, [params, setParams, change]);
  return [draft, change];
}
