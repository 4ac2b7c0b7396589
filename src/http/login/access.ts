import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { readPrivate, writePrivate } from '../../store/private-file.ts';
import type { World } from '../../world.ts';
import { takeLoginCode } from './login-codes.ts';
import { hashOf, makeSecret } from './secret.ts';
import { openTokens, TokenRole, type TokenStore } from './tokens.ts';

const Session = z.object({ hash: z.string(), role: TokenRole, until: z.number(), edition: z.string() });

type Session = z.infer<typeof Session>;

/** Browsers that are logged in; only hashes are kept, and they outlive the server. */
interface Sessions {
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

/** Who asks, and how they showed it. */
export type Identity = { role: TokenRole; via: 'token' | 'cookie' };

/** Who may come in: by a token in a header, or by a cookie that a one-time code was exchanged for. */
export interface Access {
  identify(incoming: IncomingMessage): Promise<Identity | undefined>;
  /** Exchanges a code, or a token that somebody typed, for the cookie of a session. */
  logIn(shown: { code: string } | { token: string }): Promise<{ role: TokenRole; cookie: string }>;
  /** Ends the session of a request; gives the cookie that takes its own away. */
  logOut(incoming: IncomingMessage): Promise<string>;
}

/** Opens the access of a data directory's server; `folder` holds its tokens, sessions and codes. */
export async function openAccess(folder: string, world: World): Promise<Access> {
  const tokens = await openTokens(folder, world);
  const sessions = await openSessions(folder, tokens, world);
  const { name, seconds } = sessions.cookie;
  const cookieOf = (value: string, maxAge: number) =>
    `${name}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict`;

  return {
    identify: async (incoming) => {
      const { authorization } = incoming.headers;
      if (authorization !== undefined) {
        const token = /^Bearer ([\w-]+)$/i.exec(authorization)?.[1];
        const role = token === undefined ? undefined : await tokens.roleOf(token);
        return role === undefined ? undefined : { role, via: 'token' };
      }
      const secret = readCookie(incoming, name);
      const role = secret === undefined ? undefined : await sessions.roleOf(secret);
      return role === undefined ? undefined : { role, via: 'cookie' };
    },
    logIn: async (shown) => {
      const role = 'code' in shown ? await takeLoginCode(folder, shown.code, world) : await tokens.roleOf(shown.token);
      if (role === undefined)
        throw new AppError(
          'LOGIN_REFUSED',
          'code' in shown ? 'This link was used, or is too old' : 'This is no token of this server',
        );
      return { role, cookie: cookieOf(await sessions.open(role), seconds) };
    },
    logOut: async (incoming) => {
      const secret = readCookie(incoming, name);
      if (secret !== undefined) await sessions.close(secret);
      return cookieOf('', 0);
    },
  };
}

function readCookie({ headers }: IncomingMessage, name: string): string | undefined {
  for (const part of headers.cookie?.split(';') ?? []) {
    const [key, value] = part.trim().split('=', 2);
    if (key === name) return value;
  }
  return undefined;
}

/** Reads the sessions of a data directory; replacing a token ends those that it allowed. */
async function openSessions(folder: string, tokens: TokenStore, world: World): Promise<Sessions> {
  const file = join(folder, 'sessions.json');
  let sessions = new Map<string, Session>();
  for (const session of (await readPrivate(file, z.array(Session))) ?? []) sessions.set(session.hash, session);
  let writing: Promise<void> = Promise.resolve();

  const isAlive = ({ until, edition }: Session, now: string) => until > world.now() && edition === now;

  /** One writer at a time: each writes what is true then. */
  function keep(): Promise<void> {
    // A failed write was reported to the caller that waited for it.
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
