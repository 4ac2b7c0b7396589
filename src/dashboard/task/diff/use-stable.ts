import { useMemo, useRef } from 'react';
import type { LineActs } from './diff-acts.ts';

/** The same acts under a name that never changes, so that a row is drawn anew only when something about it changed. */
export function useStable(acts: LineActs): LineActs {
  const latest = useRef(acts);
  latest.current = acts;
  return useMemo(
    () => ({
      toggle: (path) => latest.current.toggle(path),
      select: (selection) => latest.current.select(selection),
      edit: (comment) => latest.current.edit(comment),
      remove: (comment) => latest.current.remove(comment),
      save: (text) => latest.current.save(text),
      stop: () => latest.current.stop(),
      pick: (row, side, isMore) => latest.current.pick(row, side, isMore),
    }),
    [],
  );
}
