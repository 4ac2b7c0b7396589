import type { IncomingMessage } from 'node:http';
import { AppError } from '../../errors.ts';
import type { AccessRole, Identity as Caller } from '../../operations/authorize.ts';
import { type CodeGrant, takeLoginCode } from '../../store/credentials/login-codes.ts';
import { findShare, shareOfToken } from '../../store/credentials/shares.ts';
import type { World } from '../../world.ts';
import { openSessions } from './sessions.ts';
import { openTokens, type TokenRole } from './tokens.ts';

const WINDOW_MS = 60_000;

/** Wrong codes and tokens from one address in a minute. */
const MAX_FAILURES = 20;

/** Wrong cookies: more, because the page of an ended session sends its cookie with each request. */
const MAX_WRONG_COOKIES = 200;

/** Addresses to remember; beyond that all are forgotten. */
const MAX_ADDRESSES = 10_000;

/**
 * Throttles wrong codes and tokens by address. A correct one is always accepted: the secrets are too long to be guessed,
 * and an attacker must not be able to lock out the operator.
 */
class FailedLogins {
  readonly #world: World;
  readonly #most: number;
  readonly #counts = new Map<string, { count: number; until: number }>();

  constructor(world: World, most: number) {
    this.#world = world;
    this.#most = most;
  }

  /** Counts a failure; throws LOGIN_THROTTLED if the address has exceeded its limit. */
  count(address: string): void {
    const now = this.#world.now();
    const known = this.#counts.get(address);
    const current = known === undefined || known.until <= now ? { count: 0, until: now + WINDOW_MS } : known;
    current.count += 1;
    if (this.#counts.size >= MAX_ADDRESSES) this.#counts.clear();
    this.#counts.set(address, current);
    if (current.count > this.#most)
      throw new AppError('LOGIN_THROTTLED', 'Too many wrong codes or tokens were sent from this address');
  }
}

/** The sender of a request, and how it was identified; a guest is bound to the runs that were shared with them. */
export type Identity = Caller & { role: TokenRole | 'guest'; via: 'token' | 'cookie' };

/** Identifies clients by a token in a header, or by the cookie of a session. */
export interface Access {
  identify(incoming: IncomingMessage): Promise<Identity | undefined>;
  /** Exchanges a login code or a token for the cookie of a session. */
  logIn(
    credential: { code: string } | { token: string },
    incoming: IncomingMessage,
  ): Promise<{ role: AccessRole; cookie: string }>;
  /** Ends the sessions of a request; returns cookies that remove its cookies. */
  logOut(incoming: IncomingMessage): Promise<string[]>;
}

/** Runs that one browser has open as a guest; with more, the oldest is forgotten. */
const MAX_SHARES = 20;

/** How long an operator or viewer stays logged in. */
const LASTS_MS = 30 * 24 * 3_600_000;

/** Opens the access control of a server; `folder` contains its tokens, sessions, codes and shares. */
export async function openAccess(folder: string, world: World): Promise<Access> {
  const tokens = await openTokens(folder, world);
  const sessions = await openSessions(folder, { tokens, world });
  const failures = new FailedLogins(world, MAX_FAILURES);
  const wrongCookies = new FailedLogins(world, MAX_WRONG_COOKIES);
  const name = `manyhands-${tokens.id}`;
  // A cookie of its own: an operator who opens a shared link remains one, and a guest keeps the runs of other links.
  const guestName = `manyhands-guest-${tokens.id}`;

  const ofToken = async (token: string): Promise<CodeGrant | undefined> => {
    const role = await tokens.roleOf(token);
    if (role !== undefined) return { role };
    const share = await shareOfToken(folder, token, world);
    return share === undefined ? undefined : { role: 'guest', share: share.id };
  };
  const identityOf = async (grants: readonly CodeGrant[], via: Identity['via']): Promise<Identity | undefined> => {
    const runs: string[] = [];
    for (const grant of grants) {
      if (grant.role !== 'guest') return { role: grant.role, via };
      const share = await findShare(folder, grant.share, world);
      if (share !== undefined) runs.push(share.run);
    }
    return runs.length === 0 ? undefined : { role: 'guest', bound: { to: 'runs', runs }, via };
  };
  const guestSecrets = (incoming: IncomingMessage) =>
    (readCookie(incoming, guestName) ?? '').split('.').filter(Boolean).slice(-MAX_SHARES);
  const grantsOf = async (secrets: readonly string[]) => {
    const found = await Promise.all(secrets.map((secret) => sessions.grantOf(secret)));
    return found.filter((grant) => grant !== undefined);
  };

  return {
    identify: async (incoming) => {
      const { authorization } = incoming.headers;
      if (authorization !== undefined) {
        const token = tokenIn(incoming);
        const grant = token === undefined ? undefined : await ofToken(token);
        if (grant !== undefined) return identityOf([grant], 'token');
        failures.count(incoming.socket.remoteAddress ?? '');
        return undefined;
      }
      const own = readCookie(incoming, name);
      const secrets = [...(own === undefined ? [] : [own]), ...guestSecrets(incoming)];
      const identity = await identityOf(await grantsOf(secrets), 'cookie');
      if (identity === undefined && secrets.length > 0) wrongCookies.count(incoming.socket.remoteAddress ?? '');
      return identity;
    },
    logIn: async (credential, incoming) => {
      const grant =
        'code' in credential ? await takeLoginCode(folder, credential.code, world) : await ofToken(credential.token);
      const share = grant?.role === 'guest' ? await findShare(folder, grant.share, world) : undefined;
      if (grant === undefined || (grant.role === 'guest' && share === undefined)) {
        failures.count(incoming.socket.remoteAddress ?? '');
        throw new AppError(
          'LOGIN_REFUSED',
          'code' in credential
            ? 'This link was used, has expired or was revoked'
            : 'This is not a token of this server',
        );
      }
      if (share === undefined)
        return {
          role: grant.role,
          cookie: cookieText(name, await sessions.open(grant, world.now() + LASTS_MS), LASTS_MS),
        };
      const secret = await sessions.open(grant, share.until);
      const value = [...guestSecrets(incoming).slice(1 - MAX_SHARES), secret].join('.');
      return { role: 'guest', cookie: cookieText(guestName, value, LASTS_MS) };
    },
    logOut: async (incoming) => {
      const own = readCookie(incoming, name);
      for (const secret of [...(own === undefined ? [] : [own]), ...guestSecrets(incoming)])
        await sessions.close(secret);
      return [cookieText(name, '', 0), cookieText(guestName, '', 0)];
    },
  };
}

/** The token that a request carries; programs of git send it as a password. */
export function tokenIn({ headers, url = '' }: IncomingMessage): string | undefined {
  const { authorization = '' } = headers;
  const basic = url.startsWith('/git/') ? /^Basic ([\w+/=-]{1,1000})$/i.exec(authorization)?.[1] : undefined;
  if (basic === undefined) return /^Bearer ([\w-]+)$/i.exec(authorization)?.[1];
  return /^[^:]*:([\w-]+)$/.exec(Buffer.from(basic, 'base64').toString('utf8'))?.[1];
}

function cookieText(name: string, value: string, lastsMs: number): string {
  return `${name}=${value}; Path=/; Max-Age=${Math.floor(lastsMs / 1000)}; HttpOnly; SameSite=Strict`;
}

function readCookie({ headers }: IncomingMessage, name: string): string | undefined {
  for (const part of headers.cookie?.split(';') ?? []) {
    const [key, value] = part.trim().split('=', 2);
    if (key === name) return value;
  }
  return undefined;
}
