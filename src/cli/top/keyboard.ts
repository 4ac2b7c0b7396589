import { StringDecoder } from 'node:string_decoder';
import type { World } from '../../world.ts';
import { type Key, readKeys } from './key.ts';

/** A lone escape is a key of its own if nothing follows within this. */
const PATIENCE_MS = 50;

/** Makes keys of the bytes that a terminal sends, however they are cut. */
export function createKeyboard(world: World, onKey: (key: Key) => void): (bytes: Buffer) => void {
  const decoder = new StringDecoder('utf8');
  let pending = '';
  let stopWaiting: (() => void) | undefined;

  function take(isComplete: boolean): void {
    const { keys, rest } = readKeys(pending, isComplete);
    pending = rest;
    for (const key of keys) onKey(key);
  }

  return (bytes) => {
    stopWaiting?.();
    pending += decoder.write(bytes);
    take(false);
    if (pending !== '') stopWaiting = world.alarm(world.now() + PATIENCE_MS, () => take(true));
  };
}
