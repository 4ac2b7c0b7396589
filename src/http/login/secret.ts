import { createHash, timingSafeEqual } from 'node:crypto';
import type { World } from '../../world.ts';

/** A text that nobody guesses: 244 bits of chance. */
export function makeSecret(world: World): string {
  return `${world.token()}${world.token()}`.replaceAll('-', '');
}

/** What is kept of a secret that only has to be recognised. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Compares in a time that tells nothing about where they differ. */
export function isSameHash(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
