import { join } from 'node:path';
import { z } from 'zod';
import { readPrivate, writePrivate } from '../../store/private-file.ts';
import type { World } from '../../world.ts';
import { hashOf, makeSecret } from './secret.ts';
import { TokenRole, type TokenStore } from './tokens.ts';

const Session = z.object({ hash: z.string(), role: TokenRole, until: z.number(), edition: z.string() });
type Session = z.infer<typeof Session>;

/** Browsers that are logged in; only hashes are kept, and they outlive the server. */
export interface Sessions {
  /** The name of the cookie, and how long it holds. */
  readonly cookie: { name: string; seconds: number };
  /** Opens a session and gives its secret. */
  open(role: TokenRole): Promise<string>;
  roleOf(secret: string): Promise<TokenRole | undefined>;
  close(secret: string): Promise<void>;
}

const LASTS_MS = 30 * 24 * 3_600_000;
/** More browsers than this forget the one that logged in first. */
const MOST = 200;

/** Reads the sessions of a data directory; replacing a token ends those that it allowed. */
export async function openSessions(folder: string, tokens: TokenStore, world: World): Promise<Sessions> {
  const file = join(folder, 'sessions.json');
  let sessions = new Map<string, Session>();
  for (const session of (await readPrivate(file, z.array(Session))) ?? []) sessions.set(session.hash, session);
  let writing: Promise<void> = Promise.resolve();

  const isAlive = ({ until, edition }: Session, now: string) => until > world.now() && edition === now;

  /** One writer at a time: each writes what is true then. */
  function keep(): Promise<void> {
    // A failed write was told to the one who waited for it.
    writing = writing.catch(() => {}).then(() => writePrivate(file, [...sessions.values()], world));
    return writing;
  }

  return {
    cookie: { name: `manyhands-${tokens.id}`, seconds: LASTS_MS / 1000 },
    open: async (role) => {
      const edition = await tokens.edition();
      const secret = makeSecret(world);
      const alive = [...sessions.values()].filter((session) => isAlive(session, edition)).slice(1 - MOST);
      sessions = new Map(alive.map((session) => [session.hash, session]));
      const hash = hashOf(secret);
      sessions.set(hash, { hash, role, until: world.now() + LASTS_MS, edition });
      await keep();
      return secret;
    },
    roleOf: async (secret) => {
      const session = sessions.get(hashOf(secret));
      return session !== undefined && isAlive(session, await tokens.edition()) ? session.role : undefined;
    },
    close: async (secret) => {
      if (sessions.delete(hashOf(secret))) await keep();
    },
  };
}
