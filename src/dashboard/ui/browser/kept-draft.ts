import { useState } from 'react';

const kept = new Map<string, unknown>();

/** What the user has written under this key and not sent: it survives navigation, and is gone after a reload. */
export function useKeptDraft<T>(key: string): [T | undefined, (draft: T | undefined) => void] {
  // A key has drafts of one type.
  const read = () => kept.get(key) as T | undefined;
  const [shown, setShown] = useState(() => ({ key, draft: read() }));
  const change = (draft: T | undefined) => {
    if (draft === undefined) kept.delete(key);
    else kept.set(key, draft);
    setShown({ key, draft });
  };
  return [shown.key === key ? shown.draft : read(), change];
}
