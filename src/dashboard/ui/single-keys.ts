import { useSyncExternalStore } from 'react';

const KEY = 'manyhands.single-keys';
const listeners = new Set<() => void>();

/** Whether a letter alone may act anywhere on a page; who dictates, or presses keys by chance, switches it off. */
export function areSingleKeysOn(): boolean {
  return localStorage.getItem(KEY) !== 'off';
}

export function setSingleKeys(isOn: boolean): void {
  localStorage.setItem(KEY, isOn ? 'on' : 'off');
  for (const listener of listeners) listener();
}

export function useSingleKeys(): boolean {
  return useSyncExternalStore(listen, areSingleKeysOn);
}

function listen(changed: () => void): () => void {
  listeners.add(changed);
  return () => listeners.delete(changed);
}
