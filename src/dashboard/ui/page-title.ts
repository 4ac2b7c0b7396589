import { useEffect, useSyncExternalStore } from 'react';

let title = '';
const listeners = new Set<() => void>();

/** Names what is looked at, so that tabs can be told apart; without words it is the dashboard itself. */
export function usePageTitle(words: string): void {
  useEffect(() => {
    set(words);
    return () => set('');
  }, [words]);
}

/** What is looked at now. */
export function useTitle(): string {
  return useSyncExternalStore(listen, () => title);
}

function set(words: string): void {
  title = words;
  for (const listener of listeners) listener();
}

function listen(changed: () => void): () => void {
  listeners.add(changed);
  return () => listeners.delete(changed);
}
