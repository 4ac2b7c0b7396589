import { useSearchParams } from 'wouter';

/** The query parameters of a view; an empty value removes one. Changes add no history entry. */
export function useChoices(): [URLSearchParams, (key: string, value: string | null) => void] {
  const [search, setSearch] = useSearchParams();
  const choose = (key: string, value: string | null) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (value === null || value === '') next.delete(key);
        else next.set(key, value);
        return next;
      },
      { replace: true },
    );
  return [search, choose];
}
