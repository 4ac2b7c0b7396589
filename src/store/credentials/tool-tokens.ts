import { createHmac, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import type { World } from '../../world.ts';
import { readPrivate, writePrivate } from '../private-file.ts';

const Key = z.string().regex(/^[0-9a-f]{64}$/);

/** What the token of an attempt looks like. */
export const ToolToken = Key;

/** The key that the tokens of attempts are derived from; agents that outlive an engine keep theirs. */
export async function loadToolKey({ root, world }: { root: string; world: World }): Promise<string> {
  const file = join(root, 'tools.key');
  const known = await readPrivate(file, Key);
  if (known !== undefined) return known;
  const key = createHmac('sha256', world.token()).update(world.token()).digest('hex');
  await writePrivate(file, key, world);
  return key;
}

/** The token of an attempt, which is stored nowhere but in its private folder. */
export function toolToken(key: string, attempt: string): string {
  return createHmac('sha256', key).update(attempt).digest('hex');
}

export function isSameToken(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
