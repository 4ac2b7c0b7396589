import { StringDecoder } from 'node:string_decoder';
import type { World } from '../../world.ts';
import { type Key, readKeys } from './key.ts';

/** A lone escape is a key of its own if nothing follows within this time. */
const ESCAPE_TIMEOUT_MS = 50;

/** Turns the bytes of a terminal into keys, however they are split into chunks. */
export function createKeyboard(world: World, onKey: (key: Key) => void): (bytes: Buffer) => void {
  const decoder = new StringDecoder('utf8');
  let pending = '';
  let stopWaiting: (() => void) | undefined;

  function flush(isComplete: boolean): void {
    const { keys, rest } = readKeys(pending, isComplete);
    pending = rest;
    for (const key of keys) onKey(key);
  }

  return (bytes) => {
    stopWaiting?.();
    pending += decoder.write(bytes);
    flush(false);
    if (pending !== '') stopWaiting = world.alarm(world.now() + ESCAPE_TIMEOUT_MS, () => flush(true));
  };
}
