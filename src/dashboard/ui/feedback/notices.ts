import { ApiError } from '../../api/api-error.ts';
import { after } from '../browser/clock.ts';

/** A message in a corner of the page. */
export type Notice = { id: number; kind: 'done' | 'error' | 'info'; text: string; hint?: string; to?: string };

const SHOWN_MS = 8_000;
const MAX = 4;

let notices: readonly Notice[] = [];
let last = 0;
const listeners = new Set<() => void>();

/** Shows a notice; errors stay until they are dismissed, other notices disappear after a few seconds. */
export function notify(message: { kind: Notice['kind']; text: string; to?: string; error?: unknown }): void {
  last += 1;
  const { error, ...shown } = message;
  const hint = error instanceof ApiError ? error.hint : undefined;
  const notice: Notice = { id: last, ...shown, ...(hint === undefined ? {} : { hint }) };
  set([...notices, notice].slice(-MAX));
  if (message.kind !== 'error') after(SHOWN_MS, () => dismiss(notice.id));
}

export function dismiss(id: number): void {
  set(notices.filter((notice) => notice.id !== id));
}

export function currentNotices(): readonly Notice[] {
  return notices;
}

export function onNotices(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function set(next: readonly Notice[]): void {
  notices = next;
  for (const listener of listeners) listener();
}
