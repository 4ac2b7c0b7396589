import type { IncomingMessage } from 'node:http';
import { AppError } from '../errors.ts';
import { type Hosts, isOurHost, isOurOrigin } from './hosts.ts';

/** Longer ones are no requests of ours. */
const MOST_CHARS = 8192;

/** Whoever stands in front of us may decode once before we do. */
const DECODINGS = 2;

/** The largest request; a big work file fits. */
export const MOST_BODY_BYTES = 16 * 1024 * 1024;

/** Pages of our own, and what a person typed; a page on another port of this machine is `same-site` and is not ours. */
const OUR_SITES = ['same-origin', 'none'];

/** Why a request is refused before anybody looks where it goes or who sends it; undefined lets it pass. */
export function refusalOf(incoming: IncomingMessage, hosts: Hosts): AppError | undefined {
  const { headers, url } = incoming;
  const mistake = mistakeInTarget(url);
  if (mistake !== undefined) return new AppError('REQUEST_INVALID', mistake);
  const { host, origin } = headers;
  if ((incoming.headersDistinct.host?.length ?? 0) > 1)
    return new AppError('REQUEST_INVALID', 'The request has more than one Host');
  if (host === undefined || !isOurHost(host, hosts, incoming.socket.localAddress))
    return new AppError('REQUEST_FOREIGN', `This server is not called ${host ?? '(no Host)'}`, { host: host ?? null });
  if (origin !== undefined && !isOurOrigin(origin, host, hosts))
    return new AppError('REQUEST_FOREIGN', `A page of ${origin} may not ask here`, { origin });
  const site = headers['sec-fetch-site'];
  if (site !== undefined && !OUR_SITES.includes(String(site))) {
    if (!isVisit(incoming)) return new AppError('REQUEST_FOREIGN', 'A page of another site may not ask here', { site });
    if (pathOf(incoming) !== '/login') return new AppError('LOGIN_NEEDED', 'A link of another site brings no login');
  }
  return acts(incoming) ? refusalOfAct(incoming) : undefined;
}

/** Whether a request may change something. */
export function acts({ method }: IncomingMessage): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/** The path of a request, without what is asked of it. */
export function pathOf({ url = '/' }: IncomingMessage): string {
  return url.split(/[?#]/, 1)[0] ?? '/';
}

/** A cookie goes along with requests that others caused: only a page of ours that says so may act with it. */
export function refusalOfCookieAct({ headers }: IncomingMessage): AppError | undefined {
  if (headers.origin !== undefined || headers['sec-fetch-site'] === 'same-origin') return undefined;
  return new AppError('REQUEST_FOREIGN', 'The request does not say which page it comes from');
}

/** Somebody who opens a page from elsewhere, as the file that `--open` shows does: they get the login page, which holds nothing. */
function isVisit(incoming: IncomingMessage): boolean {
  const { method, headers } = incoming;
  const isNavigation = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return method === 'GET' && isNavigation && !pathOf(incoming).startsWith('/api');
}

/** What a form of another page can send is not JSON, so no form can act. */
function refusalOfAct({ headers }: IncomingMessage): AppError | undefined {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json')
    return new AppError('REQUEST_NOT_JSON', `What acts is sent as JSON, not as ${type ?? 'nothing'}`);
  if (Number(headers['content-length'] ?? 0) > MOST_BODY_BYTES)
    return new AppError('REQUEST_TOO_LARGE', `The request is larger than ${MOST_BODY_BYTES} bytes`);
  return undefined;
}

/** What is wrong with the target of a request as it came over the wire, before anything normalises it. */
function mistakeInTarget(target: string | undefined): string | undefined {
  if (target === undefined || !target.startsWith('/') || target.startsWith('//'))
    return 'The path does not begin with one slash';
  if (target.length > MOST_CHARS) return `The path is longer than ${MOST_CHARS} characters`;
  const end = target.search(/[?#]/);
  let path = end < 0 ? target : target.slice(0, end);
  for (let decoding = 0; decoding <= DECODINGS; decoding += 1) {
    if (climbs(path)) return 'The path climbs out of its folder';
    const decoded = decode(path);
    if (decoded === undefined) return decoding === 0 ? 'The path is not percent-encoded UTF-8' : undefined;
    path = decoded;
  }
  return undefined;
}

function climbs(path: string): boolean {
  if (/[\\\p{Cc}]/u.test(path)) return true;
  return path.split('/').some((segment) => segment === '.' || segment === '..');
}

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    // Not an encoding: the caller says so, or takes it as it stands.
    return undefined;
  }
}
