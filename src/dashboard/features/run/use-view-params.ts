import { useSearchParams } from 'wouter';

/** What is chosen in a view, kept in its address; choosing nothing takes it out again, and makes no step to go back to. */
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
