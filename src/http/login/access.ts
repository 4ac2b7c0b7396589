import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { readPrivate, writePrivate } from '../../store/private-file.ts';
import type { World } from '../../world.ts';
import { takeLoginCode } from './login-codes.ts';
import { hashOf, makeSecret } from './secret.ts';
import { openTokens, TokenRole, type TokenStore } from './tokens.ts';

const WINDOW_MS = 60_000;

/** Wrong codes and tokens from one address in a minute. */
const MAX_FAILURES = 20;

/** Addresses to remember; beyond that all are forgotten. */
const MAX_ADDRESSES = 10_000;

/**
 * Throttles wrong codes and tokens by address. A correct one is always accepted: the secrets are too long to be guessed,
 * and an attacker must not be able to lock out the operator.
 */
class FailedLogins {
  readonly #world: World;
  readonly #counts = new Map<string, { count: number; until: number }>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Counts a failure; throws LOGIN_THROTTLED if the address has exceeded its limit. */
  count(address: string): void {
    const now = this.#world.now();
    const known = this.#counts.get(address);
    const current = known === undefined || known.until <= now ? { count: 0, until: now + WINDOW_MS } : known;
    current.count += 1;
    if (this.#counts.size >= MAX_ADDRESSES) this.#counts.clear();
    this.#counts.set(address, current);
    if (current.count > MAX_FAILURES)
      throw new AppError('LOGIN_THROTTLED', 'Too many wrong codes or tokens were sent from this address');
  }
}

const Session = z.object({ hash: z.string(), role: TokenRole, until: z.number(), edition: z.string() });

type Session = z.infer<typeof Session>;

/** Sessions of browsers; only hashes are stored, and they survive a restart. */
interface Sessions {
  /** The name and lifetime of the cookie. */
  readonly cookie: { name: string; seconds: number };
  /** Opens a session and returns its secret. */
  open(role: TokenRole): Promise<string>;
  roleOf(secret: string): Promise<TokenRole | undefined>;
  close(secret: string): Promise<void>;
}

const LASTS_MS = 30 * 24 * 3_600_000;

/** Beyond this number the oldest session ends. */
const MAX_SESSIONS = 200;

/** The sender of a request, and how it was identified. */
export type Identity = { role: TokenRole; via: 'token' | 'cookie' };

/** Identifies clients by a token in a header, or by the cookie of a session. */
export interface Access {
  identify(incoming: IncomingMessage): Promise<Identity | undefined>;
  /** Exchanges a login code or a token for the cookie of a session. */
  logIn(
    credential: { code: string } | { token: string },
    address: string,
  ): Promise<{ role: TokenRole; cookie: string }>;
  /** Ends the session of a request; returns a cookie that removes its cookie. */
  logOut(incoming: IncomingMessage): Promise<string>;
}

/** Opens the access control of a server; `folder` contains its tokens, sessions and codes. */
export async function openAccess(folder: string, world: World): Promise<Access> {
  const tokens = await openTokens(folder, world);
  const sessions = await openSessions(folder, tokens, world);
  const { name, seconds } = sessions.cookie;
  const failures = new FailedLogins(world);
  const cookieOf = (value: string, maxAge: number) =>
    `${name}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict`;

  return {
    identify: async (incoming) => {
      const { authorization } = incoming.headers;
      if (authorization !== undefined) {
        const token = /^Bearer ([\w-]+)$/i.exec(authorization)?.[1];
        const role = token === undefined ? undefined : await tokens.roleOf(token);
        if (role !== undefined) return { role, via: 'token' };
        failures.count(incoming.socket.remoteAddress ?? '');
        return undefined;
      }
      const secret = readCookie(incoming, name);
      const role = secret === undefined ? undefined : await sessions.roleOf(secret);
      return role === undefined ? undefined : { role, via: 'cookie' };
    },
    logIn: async (credential, address) => {
      const role =
        'code' in credential
          ? await takeLoginCode(folder, credential.code, world)
          : await tokens.roleOf(credential.token);
      if (role === undefined) {
        failures.count(address);
        throw new AppError(
          'LOGIN_REFUSED',
          'code' in credential ? 'This link was used or has expired' : 'This is not a token of this server',
        );
      }
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

/** Reads the stored sessions; replacing a token ends the sessions that were opened before. */
async function openSessions(folder: string, tokens: TokenStore, world: World): Promise<Sessions> {
  const file = join(folder, 'sessions.json');
  let sessions = new Map<string, Session>();
  for (const session of (await readPrivate(file, z.array(Session))) ?? []) sessions.set(session.hash, session);
  let writing: Promise<void> = Promise.resolve();

  const isAlive = ({ until, edition }: Session, now: string) => until > world.now() && edition === now;

  /** One write at a time; each writes the current sessions. */
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
      const alive = [...sessions.values()].filter((session) => isAlive(session, edition)).slice(1 - MAX_SESSIONS);
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
