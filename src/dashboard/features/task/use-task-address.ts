import { useCallback } from 'react';
import { useParams, useSearchParams } from 'wouter';

export const VIEWS = ['transcript', 'attempts', 'gates', 'diff', 'prompt', 'terminal'] as const;
export type View = (typeof VIEWS)[number];

/** The parts of a task's address: task, view, attempt and row. */
export type Address = {
  run: string;
  task: string;
  view: View;
  attempt: number | undefined;
  row: number | undefined;
  show(change: { view?: View; attempt?: number }): void;
};

/** Reads and changes the address of a task page. */
export function useAddress(): Address {
  const { run = '', task = '' } = useParams<{ run: string; task: string }>();
  const [search, setSearch] = useSearchParams();
  const show = useCallback(
    (change: { view?: View; attempt?: number }) =>
      setSearch((was) => {
        const next = new URLSearchParams(was);
        if (change.view !== undefined) next.set('view', change.view);
        if (change.attempt !== undefined) next.set('attempt', String(change.attempt));
        next.delete('row');
        return next;
      }),
    [setSearch],
  );
  return {
    run,
    task: decoded(task),
    view: VIEWS.find((each) => each === search.get('view')) ?? 'transcript',
    attempt: numberOf(search.get('attempt')),
    row: numberOf(search.get('row'), 0),
    show,
  };
}

/** The router does not decode the slashes of a key. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // An address typed by hand may not be valid encoding: it is used unchanged.
    return text;
  }
}

function numberOf(text: string | null, least = 1): number | undefined {
  const number = Number(text);
  return text !== null && text !== '' && Number.isSafeInteger(number) && number >= least ? number : undefined;
}
