import type { IncomingMessage } from 'node:http';
import { AppError } from '../../errors.ts';
import type { World } from '../../world.ts';
import { takeLoginCode } from './login-codes.ts';
import { openSessions } from './sessions.ts';
import { openTokens, type TokenRole } from './tokens.ts';

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
