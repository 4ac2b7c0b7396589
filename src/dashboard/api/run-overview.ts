import { useSyncExternalStore } from 'react';
import type { StreamItem } from '../../operations/all.ts';
import type { RunOverview } from '../../schema/overview.ts';
import { after } from '../ui/browser/clock.ts';
import { followRuns, type RunsSnapshot } from './cross-tab-stream.ts';
import type { ConnectionState } from './follow-events.ts';
import { IS_GUEST } from './role.ts';

/** All runs, newest first; shared by the whole page and updated by one stream for all tabs. */
export type RunsOverview = {
  runs: readonly RunOverview[];
  /** Whether the first list has arrived. */
  isReady: boolean;
  connectionState: ConnectionState;
};

type Change = (before: RunOverview | undefined, after: RunOverview) => void;

/** Two frames at 60 Hz. */
const GATHER_MS = 32;

const byId = new Map<string, RunOverview>();
const listeners = new Set<() => void>();
const changeListeners = new Set<Change>();
const reconnectListeners = new Set<() => void>();
let current: RunsOverview = { runs: [], isReady: false, connectionState: 'connecting' };
let position = 0;
/** A guest has no list of runs. */
let isOpen = IS_GUEST;
let isDue = false;

/** The live overview; the first use opens the stream. */
export function useOverview(): RunsOverview {
  return useSyncExternalStore(listen, () => current);
}

/** One run of the overview. */
export function useRunOverview(run: string): RunOverview | undefined {
  return useOverview().runs.find((each) => each.run === run);
}

/** Calls for each change of a run after the first list has arrived. */
export function onRunChange(listener: Change): () => void {
  changeListeners.add(listener);
  return () => changeListeners.delete(listener);
}

/** Calls when the connection is back after it was lost, so that failed requests can be repeated. */
export function onReconnect(listener: () => void): () => void {
  reconnectListeners.add(listener);
  return () => reconnectListeners.delete(listener);
}

function listen(changed: () => void): () => void {
  listeners.add(changed);
  if (!isOpen) {
    isOpen = true;
    followRuns({
      onItem: applyItem,
      onConnectionState: (connectionState) => publish({ connectionState }),
      onSnapshot: applySnapshot,
      snapshot,
    });
  }
  return () => listeners.delete(changed);
}

function snapshot(): RunsSnapshot {
  return { runs: [...byId.values()], position, isReady: current.isReady, connectionState: current.connectionState };
}

function applyItem(item: StreamItem<'watch-runs'>): void {
  position = Math.max(position, item.position);
  if ('ready' in item) publish({ isReady: true, runs: newestFirst() });
  else {
    if ('removed' in item) byId.delete(item.removed);
    else put(item.run);
    publishSoon();
  }
}

/** Replaces the runs by those of another tab and reports the differences as changes. */
function applySnapshot(received: RunsSnapshot): void {
  const kept = new Set(received.runs.map(({ run }) => run));
  for (const run of byId.keys()) if (!kept.has(run)) byId.delete(run);
  for (const run of received.runs) put(run);
  position = received.position;
  publish({ isReady: received.isReady, connectionState: received.connectionState, runs: newestFirst() });
}

function put(run: RunOverview): void {
  const before = byId.get(run.run);
  byId.set(run.run, run);
  if (current.isReady) for (const listener of changeListeners) listener(before, run);
}

/** Gathers changes so that they are rendered together. */
function publishSoon(): void {
  if (isDue) return;
  isDue = true;
  after(GATHER_MS, () => {
    isDue = false;
    publish({ runs: newestFirst() });
  });
}

function newestFirst(): RunOverview[] {
  return [...byId.values()].sort((a, b) => b.startedAt.localeCompare(a.startedAt));
}

function publish(change: Partial<RunsOverview>): void {
  const isBack = current.connectionState === 'lost' && change.connectionState === 'live';
  current = { ...current, ...change };
  for (const listener of listeners) listener();
  if (isBack) for (const listener of reconnectListeners) listener();
}
