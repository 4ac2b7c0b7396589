import { join } from 'node:path';
import { z } from 'zod';
import type { CodeGrant } from '../../store/credentials/login-codes.ts';
import { hashOf, makeSecret } from '../../store/credentials/secret.ts';
import { readPrivate, writePrivate } from '../../store/private-file.ts';
import type { World } from '../../world.ts';
import { TokenRole, type TokenStore } from './tokens.ts';

const Session = z.object({ hash: z.string(), role: TokenRole, until: z.number(), edition: z.string() });
const GuestSession = z.object({ hash: z.string(), share: z.string(), until: z.number(), edition: z.string() });

type Stored = { hash: string; until: number; edition: string };

/** Sessions of browsers; only hashes are stored, and they survive a restart. */
export interface Sessions {
  /** Opens a session and returns its secret. */
  open(grant: CodeGrant, until: number): Promise<string>;
  /** What a session was opened for. */
  grantOf(secret: string): Promise<CodeGrant | undefined>;
  close(secret: string): Promise<void>;
}

/** Beyond this number the oldest session ends. */
const MAX_SESSIONS = 200;

/** Reads the stored sessions; replacing a token ends those that were opened before. Guests have a file of their own, so that they never push out an operator. */
export async function openSessions(
  folder: string,
  { tokens, world }: { tokens: TokenStore; world: World },
): Promise<Sessions> {
  const own = await openFile(join(folder, 'sessions.json'), Session, { tokens, world });
  const guests = await openFile(join(folder, 'guests.json'), GuestSession, { tokens, world });
  return {
    open: (grant, until) =>
      grant.role === 'guest' ? guests.add({ share: grant.share, until }) : own.add({ role: grant.role, until }),
    grantOf: async (secret) => {
      const session = await own.find(secret);
      if (session !== undefined) return { role: session.role };
      const guest = await guests.find(secret);
      return guest === undefined ? undefined : { role: 'guest', share: guest.share };
    },
    close: async (secret) => {
      await own.remove(secret);
      await guests.remove(secret);
    },
  };
}

/** One file of sessions by the hash of their secret. */
async function openFile<T extends Stored>(
  file: string,
  schema: z.ZodType<T>,
  { tokens, world }: { tokens: TokenStore; world: World },
) {
  let sessions = new Map<string, T>();
  for (const session of (await readPrivate(file, z.array(schema))) ?? []) sessions.set(session.hash, session);
  let writing: Promise<void> = Promise.resolve();

  const isAlive = ({ until, edition }: Stored, now: string) => until > world.now() && edition === now;

  /** One write at a time; each writes the current sessions. */
  function keep(): Promise<void> {
    // A failed write was reported to the caller that waited for it.
    writing = writing.catch(() => {}).then(() => writePrivate(file, [...sessions.values()], world));
    return writing;
  }

  return {
    add: async (session: Omit<T, 'hash' | 'edition'>) => {
      const edition = await tokens.edition();
      const secret = makeSecret(world);
      const alive = [...sessions.values()].filter((each) => isAlive(each, edition)).slice(1 - MAX_SESSIONS);
      sessions = new Map(alive.map((each) => [each.hash, each]));
      const hash = hashOf(secret);
      // The parameter has every other field of the type.
      sessions.set(hash, { ...session, hash, edition } as unknown as T);
      await keep();
      return secret;
    },
    find: async (secret: string) => {
      const session = sessions.get(hashOf(secret));
      return session !== undefined && isAlive(session, await tokens.edition()) ? session : undefined;
    },
    remove: async (secret: string) => {
      if (sessions.delete(hashOf(secret))) await keep();
    },
  };
}
