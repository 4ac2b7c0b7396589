import { chmod, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { AppError, isAbsent } from '../../errors.ts';
import { serverLoginFile } from '../../home.ts';
import { readPrivate, writePrivate } from '../../store/private-file.ts';
import type { World } from '../../world.ts';

/** The server whose operations this program calls, and the token that it sends. */
export type ServerLogin = { url: string; token: string };

const Stored = z.object({ url: z.string(), token: z.string() });

/** Every token of a server; anything else is a mistake that must not be sent anywhere. */
const TOKEN = /^mht_[\w-]{16,200}$/;

/** The login that the environment or an earlier `manyhands login` names. */
export async function readLogin(env: NodeJS.ProcessEnv): Promise<ServerLogin> {
  const stored = await readPrivate(serverLoginFile(env), Stored);
  const url = serverUrl(env.MANYHANDS_SERVER ?? stored?.url ?? '');
  const given = env.MANYHANDS_SERVER === undefined ? undefined : env.MANYHANDS_TOKEN;
  const token = given ?? (stored !== undefined && serverUrl(stored.url) === url ? stored.token : undefined);
  if (token === undefined) throw new AppError('SERVER_LOGIN', `There is no token for ${url}`, { url });
  return { url, token: requireToken(token, url) };
}

/** Keeps a login for later commands, readable only by its owner. */
export async function saveLogin(env: NodeJS.ProcessEnv, { url, token }: ServerLogin, world: World): Promise<void> {
  const file = serverLoginFile(env);
  await writePrivate(file, { url, token }, world);
  await chmod(dirname(file), 0o700);
}

/** Forgets the login; returns the server it was for. */
export async function removeLogin(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const stored = await readPrivate(serverLoginFile(env), Stored);
  await rm(serverLoginFile(env), { force: true }).catch((error: unknown) => {
    if (!isAbsent(error)) throw error;
  });
  return stored?.url;
}

/** The address of a server; a token travels in clear text over plain http, so that only reaches this machine. */
export function serverUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw invalid(text, 'is not the address of a server, such as https://manyhands.example.com');
  if (url.username !== '' || url.password !== '') throw invalid(url.host, 'must not contain a name or a password');
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '')
    throw invalid(url.origin, 'must have no path: only the scheme, the host and the port');
  if (url.protocol === 'http:' && !isThisMachine(url.hostname))
    throw invalid(url.origin, 'is not encrypted, and everyone on the way could read the token: use https');
  return url.origin;
}

/** The token as it was given, without the line break at its end. */
export function requireToken(text: string, url: string): string {
  const token = text.trim();
  if (TOKEN.test(token)) return token;
  throw new AppError('SERVER_LOGIN', `What was given as the token for ${url} is not one: a token begins with mht_`, {
    url,
  });
}

function isThisMachine(name: string): boolean {
  return name === 'localhost' || name === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(name);
}

function invalid(shown: string, why: string): AppError {
  return new AppError('SERVER_URL_INVALID', `${JSON.stringify(shown)} ${why}`);
}
