import { statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { hashOf, isSameHash, makeSecret } from '../../store/credentials/secret.ts';
import { readPrivate, writePrivate } from '../../store/private-file.ts';
import type { World } from '../../world.ts';

/** The roles that have a token: operators make changes, viewers read. */
export const TokenRole = z.enum(['operator', 'viewer']);
export type TokenRole = z.infer<typeof TokenRole>;

const Tokens = z.object({
  /** Part of the cookie's name: browsers share cookies between ports. */
  id: z.string(),
  operator: z.string().min(32),
  viewer: z.string().min(32),
});
type Tokens = z.infer<typeof Tokens>;

/** The tokens of a data directory; a token that any process replaced is invalid at once. */
export interface TokenStore {
  readonly id: string;
  /** The role of a token. */
  roleOf(token: string): Promise<TokenRole | undefined>;
  /** Changes when a token is replaced. */
  edition(): Promise<string>;
}

/** The prefix lets redaction recognise every token, also one that is created later. */
function makeToken(world: World): string {
  return `mht_${makeSecret(world)}`;
}

function tokensFile(folder: string): string {
  return join(folder, 'tokens.json');
}

/** The token of a role, created when first needed; `renew` replaces it. */
export async function takeToken(
  folder: string,
  role: TokenRole,
  options: { world: World; renew?: boolean },
): Promise<string> {
  const { world, renew = false } = options;
  const found = await readTokens(folder, world);
  if (!renew) return found[role];
  const token = makeToken(world);
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
  const made = { id: world.runId(), operator: makeToken(world), viewer: makeToken(world) };
  await writePrivate(tokensFile(folder), made, world);
  return made;
}

/** Identifies the current version of the file. */
function stampOf(folder: string): string {
  const found = statSync(tokensFile(folder), { throwIfNoEntry: false, bigint: true });
  return `${found?.ino}/${found?.mtimeNs}`;
}
