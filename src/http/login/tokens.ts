import { statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readPrivate, writePrivate } from '../../store/private-file.ts';
import type { World } from '../../world.ts';
import { hashOf, isSameHash, makeSecret } from './secret.ts';

/** The roles that have a token of their own: operators act, viewers read. */
export const TokenRole = z.enum(['operator', 'viewer']);
export type TokenRole = z.infer<typeof TokenRole>;

const Tokens = z.object({
  /** Tells the cookies of two data directories apart: browsers do not keep those of two ports apart. */
  id: z.string(),
  operator: z.string().min(32),
  viewer: z.string().min(32),
});
type Tokens = z.infer<typeof Tokens>;

/** The tokens of a data directory; one that was replaced, by whatever process, is out of force at once. */
export interface TokenStore {
  readonly id: string;
  /** Whose token this is. */
  roleOf(token: string): Promise<TokenRole | undefined>;
  /** Changes whenever a token was replaced. */
  edition(): Promise<string>;
}

function tokensFile(folder: string): string {
  return join(folder, 'tokens.json');
}

/** The token of a role, made at the first need; `renew` puts another in its place. */
export async function takeToken(
  folder: string,
  role: TokenRole,
  options: { world: World; renew?: boolean },
): Promise<string> {
  const { world, renew = false } = options;
  const found = await readTokens(folder, world);
  if (!renew) return found[role];
  const token = makeSecret(world);
  await writePrivate(tokensFile(folder), { ...found, [role]: token }, world);
  return token;
}

export async function openTokens(folder: string, world: World): Promise<TokenStore> {
  let stamp = stampOf(folder);
  let tokens = await readTokens(folder, world);
  const current = async (): Promise<Tokens> => {
    const now = stampOf(folder);
    if (now !== stamp) {
      tokens = await readTokens(folder, world);
      stamp = now;
    }
    return tokens;
  };
  return {
    id: tokens.id,
    roleOf: async (token) => {
      const known = await current();
      const hash = hashOf(token);
      const roles = TokenRole.options.filter((role) => isSameHash(hashOf(known[role]), hash));
      return roles[0];
    },
    edition: async () => {
      const { operator, viewer } = await current();
      return hashOf(`${operator}/${viewer}`);
    },
  };
}

async function readTokens(folder: string, world: World): Promise<Tokens> {
  const found = await readPrivate(tokensFile(folder), Tokens);
  if (found !== undefined) return found;
  const made = { id: world.runId(), operator: makeSecret(world), viewer: makeSecret(world) };
  await writePrivate(tokensFile(folder), made, world);
  return made;
}

/** Which file stands there: a renamed one is another. */
function stampOf(folder: string): string {
  const found = statSync(tokensFile(folder), { throwIfNoEntry: false, bigint: true });
  return `${found?.ino}/${found?.mtimeNs}`;
}
