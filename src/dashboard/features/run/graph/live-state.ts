import { createContext, useContext } from 'react';
import type { RunState } from '../../../../core/run/state.ts';

/** What nodes are drawn from: the nodes themselves stay the same while their tasks change. */
export type LiveState = {
  state: RunState;
  version: number;
  stale: ReadonlySet<string>;
  sought: string | null;
  toggle(cluster: string): void;
};

export const LiveStateContext = createContext<LiveState | undefined>(undefined);

export function useLiveState(): LiveState {
  const live = useContext(LiveStateContext);
  if (live === undefined) throw new Error('A node of the graph stands outside of its graph');
  return live;
}
