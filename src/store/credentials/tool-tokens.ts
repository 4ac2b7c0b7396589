import { createHmac, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import type { World } from '../../world.ts';
import { readPrivate, writePrivate } from '../private-file.ts';

const Key = z.string().regex(/^[0-9a-f]{64}$/);

/** What the token of an attempt looks like: its id, and a code that only the engine can make. */
export const ToolToken = z.string().regex(/^[0-9a-z-]{1,64}\.[0-9a-f]{64}$/);

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
  return `${attempt}.${codeOf(key, attempt)}`;
}

/** Whether a token is that of the attempt; an agent that an earlier version started has the code alone. */
export function isTokenOf(key: string, attempt: string, given: string): boolean {
  return isSame(given, toolToken(key, attempt)) || isSame(given, codeOf(key, attempt));
}

/** The attempt that a token belongs to, or belonged to; undefined for one that we did not make. */
export function attemptOfToken(key: string, given: string): string | undefined {
  const [attempt = ''] = given.split('.', 1);
  return isSame(given, toolToken(key, attempt)) ? attempt : undefined;
}

function codeOf(key: string, attempt: string): string {
  return createHmac('sha256', key).update(attempt).digest('hex');
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
