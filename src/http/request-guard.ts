import type { IncomingMessage } from 'node:http';
import { AppError } from '../errors.ts';
import { isGitContent, isGitPath } from './git/git-endpoint.ts';
import { type Hosts, isOwnHost, isOwnOrigin } from './hosts.ts';

/** The longest target of a request. */
const MAX_TARGET_CHARS = 8192;

/** A proxy may decode the path once before this server does. */
const DECODINGS = 2;

/** The largest request body: large enough for a work file. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;
/** Without a login only a code or a token is accepted. */
const MAX_LOGIN_BYTES = 1024;

/** The largest body that a path accepts. */
export function maxBodyBytes(path: string): number {
  return path === '/login' ? MAX_LOGIN_BYTES : MAX_BODY_BYTES;
}

/** Own pages and typed addresses; a page on another port of this machine is `same-site` and is refused. */
const OWN_SITES = ['same-origin', 'none'];

/** Why a request is refused before its route and its sender are determined; undefined admits it. */
export function refusalOf(incoming: IncomingMessage, hosts: Hosts): AppError | undefined {
  const { headers, url } = incoming;
  const targetError = errorInTarget(url);
  if (targetError !== undefined) return new AppError('REQUEST_INVALID', targetError);
  const { host, origin } = headers;
  if ((incoming.headersDistinct.host?.length ?? 0) > 1)
    return new AppError('REQUEST_INVALID', 'The request has more than one Host header');
  if (host === undefined || !isOwnHost(host, hosts, incoming.socket.localAddress))
    return new AppError(
      'REQUEST_FOREIGN',
      host === undefined ? 'The request has no Host header' : `${host} is not a host name of this server`,
      { host: host ?? null },
    );
  if (origin !== undefined && !isOwnOrigin(origin, host, hosts))
    return new AppError('REQUEST_FOREIGN', `Pages of ${origin} may not send requests to this server`, { origin });
  const site = headers['sec-fetch-site'];
  if (site !== undefined && !OWN_SITES.includes(String(site))) {
    if (!isNavigation(incoming))
      return new AppError('REQUEST_FOREIGN', 'Pages of other sites may not send requests to this server', { site });
    if (pathOf(incoming) !== '/login')
      return new AppError('LOGIN_NEEDED', 'A link on another site does not carry the login');
  }
  return isChange(incoming) ? refusalOfChange(incoming) : undefined;
}

/** Whether a request may change something. */
export function isChange({ method }: IncomingMessage): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/** The path of a request, without its query. */
export function pathOf({ url = '/' }: IncomingMessage): string {
  return url.split(/[?#]/, 1)[0] ?? '/';
}

/** Browsers also send a cookie with requests that other sites caused: a change by cookie must state that it comes from an own page. */
export function refusalOfCookieChange({ headers }: IncomingMessage): AppError | undefined {
  if (headers.origin !== undefined || headers['sec-fetch-site'] === 'same-origin') return undefined;
  return new AppError('REQUEST_FOREIGN', 'The request does not state which page it comes from');
}

/** A navigation from another site, such as from the file that `--open` opens: it gets the login page, which contains nothing private. */
function isNavigation(incoming: IncomingMessage): boolean {
  const { method, headers } = incoming;
  const isDocument = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return method === 'GET' && isDocument && !pathOf(incoming).startsWith('/api');
}

/** A form of another page cannot send JSON, so no form can change anything. */
function refusalOfChange(incoming: IncomingMessage): AppError | undefined {
  const { headers } = incoming;
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (isGitPath(pathOf(incoming))) return isGitContent(pathOf(incoming), type) ? undefined : notGit(type);
  if (type !== 'application/json')
    return new AppError('REQUEST_NOT_JSON', `Changes are sent as JSON, not as ${type ?? 'nothing'}`);
  const limit = maxBodyBytes(pathOf(incoming));
  if (Number(headers['content-length'] ?? 0) > limit)
    return new AppError('REQUEST_TOO_LARGE', `The request is larger than ${limit} bytes`);
  return undefined;
}

function notGit(type: string | undefined): AppError {
  return new AppError('REQUEST_INVALID', `This is not a request of git: ${type ?? 'no content type'}`);
}

/** What is wrong with the target of a request as received, before it is normalised. */
function errorInTarget(target: string | undefined): string | undefined {
  if (target === undefined || !target.startsWith('/') || target.startsWith('//'))
    return 'The path does not begin with one slash';
  if (target.length > MAX_TARGET_CHARS) return `The path is longer than ${MAX_TARGET_CHARS} characters`;
  const end = target.search(/[?#]/);
  let path = end < 0 ? target : target.slice(0, end);
  for (let decoding = 0; decoding <= DECODINGS; decoding += 1) {
    if (isTraversal(path)) return 'The path contains a relative segment or a control character';
    const decoded = decode(path);
    if (decoded === undefined) return decoding === 0 ? 'The path is not percent-encoded UTF-8' : undefined;
    path = decoded;
  }
  return undefined;
}

function isTraversal(path: string): boolean {
  if (/[\\\p{Cc}]/u.test(path)) return true;
  return path.split('/').some((segment) => segment === '.' || segment === '..');
}

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    // Not percent-encoded: the caller reports it or uses the path unchanged.
    return undefined;
  }
}
