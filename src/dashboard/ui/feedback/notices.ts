import { ApiError } from '../../api/api-error.ts';
import { after, now } from '../browser/clock.ts';

/** A message in a corner of the page. */
export type Notice = {
  id: number;
  kind: 'done' | 'error' | 'info';
  text: string;
  hint?: string;
  to?: string;
  undo?(): void;
};

const SHOWN_MS = 8_000;
const MAX = 4;

let notices: readonly Notice[] = [];
let last = 0;
/** When the pointer was last moved over a notice. */
let pointedAt = Number.NEGATIVE_INFINITY;
let hasFocus = false;
const listeners = new Set<() => void>();

/** Shows a notice; errors stay until they are dismissed, other notices disappear after a few seconds. */
export function notify(message: Omit<Notice, 'id' | 'hint'> & { error?: unknown }): void {
  last += 1;
  const { error, ...shown } = message;
  const hint = error instanceof ApiError ? error.hint : undefined;
  const notice: Notice = { id: last, ...shown, ...(hint === undefined ? {} : { hint }) };
  set([...notices, notice].slice(-MAX));
  const end = () => {
    if (hasFocus || now() - pointedAt < SHOWN_MS) after(1_000, end);
    else dismiss(notice.id);
  };
  if (message.kind !== 'error') after(SHOWN_MS, end);
}

/** Keeps all notices for a few seconds more: the user points at one. */
export function keepForPointer(): void {
  pointedAt = now();
}

/** Keeps all notices while one has the focus. */
export function keepForFocus(isInside: boolean): void {
  hasFocus = isInside;
}

export function dismiss(id: number): void {
  // What is removed with the focus in it tells nobody that it lost it.
  hasFocus = false;
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
