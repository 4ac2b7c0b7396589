import { useSyncExternalStore } from 'react';

/** Whether the page is looked at; a hidden one holds no connection of its own. */
export function useVisible(): boolean {
  return useSyncExternalStore(listen, () => document.visibilityState === 'visible');
}

function listen(changed: () => void): () => void {
  document.addEventListener('visibilitychange', changed);
  return () => document.removeEventListener('visibilitychange', changed);
}
