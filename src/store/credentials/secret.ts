import { createHash, timingSafeEqual } from 'node:crypto';
import type { World } from '../../world.ts';

/** A random text of 244 bits. */
export function makeSecret(world: World): string {
  return `${world.token()}${world.token()}`.replaceAll('-', '');
}

/** The hash by which a secret is recognised. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Compares in constant time. */
export function isSameHash(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
