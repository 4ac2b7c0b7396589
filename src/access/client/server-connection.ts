import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { z } from 'zod';
import { AppError, ERRORS, errorCode, messageOf } from '../../errors.ts';
import { isErrorCode } from '../socket/protocol.ts';
import { withSafeTexts } from './answer-text.ts';
import type { ServerLogin } from './server-login.ts';

/** The largest answer that is read; the longest of a real server is a diff of some MB. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** How long a server may be silent: a start copies a repository before it answers. */
const READ_SILENCE_MS = 120_000;
const CHANGE_SILENCE_MS = 1_800_000;
/** A stream has an event every 20 seconds. */
const STREAM_SILENCE_MS = 60_000;

/** What a server answers instead of a result. */
export const Problem = z.object({
  code: z.string().catch('INTERNAL'),
  detail: z.string().catch('no reason is given'),
  details: z.record(z.string(), z.unknown()).catch({}),
});

export type ServerRequest = { method: string; path: string; body?: unknown };

/** Requests to one server, each with the token; nothing is sent anywhere else, whatever the server answers. */
export class ServerConnection {
  readonly url: string;
  readonly #token: string;

  constructor({ url, token }: ServerLogin) {
    this.url = url;
    this.#token = token;
  }

  /** The JSON that the server answers. */
  async json(request: ServerRequest, signal: AbortSignal): Promise<unknown> {
    const isRead = request.method === 'GET';
    const silenceMs = isRead ? READ_SILENCE_MS : CHANGE_SILENCE_MS;
    const answer = await this.#send(request, { accept: 'application/json', silenceMs, signal });
    const type = answer.headers['content-type'] ?? '';
    const bytes = await this.#read(answer);
    if (answer.statusCode === 200 && type.startsWith('application/json')) return this.#parse(bytes);
    throw this.#problem(answer, bytes);
  }

  /** An open stream of server-sent events. */
  async stream(path: string, last: string | undefined, signal: AbortSignal): Promise<IncomingMessage> {
    const headers = last === undefined ? {} : { 'last-event-id': last };
    const how = { accept: 'text/event-stream', silenceMs: STREAM_SILENCE_MS, signal, headers };
    const answer = await this.#send({ method: 'GET', path }, how);
    const type = answer.headers['content-type'] ?? '';
    if (answer.statusCode === 200 && type.startsWith('text/event-stream')) return answer;
    throw this.#problem(answer, await this.#read(answer));
  }

  /** The error of a lost or impossible connection. */
  failure(error: unknown): AppError {
    if (error instanceof AppError) return error;
    const { url } = this;
    const code = errorCode(error) ?? '';
    if (CERTIFICATE.test(code)) {
      const reason = CERTIFICATE_REASONS[code] ?? messageOf(error);
      return new AppError('SERVER_UNTRUSTED', `The certificate of ${url} is not accepted: ${reason}`, { url });
    }
    if (code === 'EPROTO' || code.startsWith('HPE_') || code.startsWith('ERR_SSL'))
      return new AppError('SERVER_UNKNOWN', `${url} does not speak this protocol (${code})`, { url });
    const why = REASONS[code] ?? messageOf(error);
    return new AppError('SERVER_UNREACHABLE', `${url} cannot be reached: ${why}`, { url }, { cause: error });
  }

  async #send(
    { method, path, body }: ServerRequest,
    options: { accept: string; silenceMs: number; signal: AbortSignal; headers?: Record<string, string> },
  ): Promise<IncomingMessage> {
    options.signal.throwIfAborted();
    const text = body === undefined ? undefined : JSON.stringify(body);
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const send = this.url.startsWith('https:') ? requestHttps : requestHttp;
    const sent = send(`${this.url}${path}`, {
      method,
      agent: false,
      timeout: options.silenceMs,
      signal: options.signal,
      headers: {
        ...options.headers,
        authorization: `Bearer ${this.#token}`,
        accept: options.accept,
        ...(text === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      },
    });
    sent.on('timeout', () => sent.destroy(new Error('it does not answer')));
    sent.on('response', resolve);
    sent.on('error', (error) => reject(options.signal.aborted ? options.signal.reason : this.failure(error)));
    sent.end(text);
    return promise;
  }

  async #read(answer: IncomingMessage): Promise<Buffer> {
    const pieces: Buffer[] = [];
    let size = 0;
    try {
      for await (const piece of answer) {
        size += piece.length;
        if (size > MAX_ANSWER_BYTES) throw this.#unknown(`answers with more than ${MAX_ANSWER_BYTES >> 20} MB`);
        pieces.push(piece);
      }
    } catch (error) {
      throw this.failure(error);
    }
    return Buffer.concat(pieces);
  }

  #parse(bytes: Buffer): unknown {
    try {
      return JSON.parse(bytes.toString('utf8'));
    } catch {
      throw this.#unknown('answers with something that is not JSON');
    }
  }

  #problem(answer: IncomingMessage, bytes: Buffer): AppError {
    const status = answer.statusCode ?? 0;
    const { url } = this;
    if (status >= 300 && status < 400)
      return this.#unknown('redirects to another address, which does not get the token; name the final address');
    const problem = this.#problemIn(answer, bytes);
    if (status === 401 || problem?.code === 'LOGIN_NEEDED')
      return new AppError('SERVER_LOGIN', `${url} does not accept the token: it was revoked or is another server's`, {
        url,
      });
    if (problem !== undefined) {
      if (isErrorCode(problem.code) && ERRORS[problem.code].http === status)
        return new AppError(problem.code, problem.detail, problem.details);
      return new AppError('SERVER_UNKNOWN', `${url} refuses with ${problem.code}: ${problem.detail}`, { url });
    }
    // What proxies answer while the server behind them restarts.
    if (status === 502 || status === 503 || status === 504)
      return new AppError('SERVER_UNREACHABLE', `${url} cannot be reached: a proxy answers with ${status}`, { url });
    return this.#unknown(`answers with status ${status} and no reason`);
  }

  #problemIn({ headers }: IncomingMessage, bytes: Buffer): z.infer<typeof Problem> | undefined {
    if (headers['content-type']?.startsWith('application/problem+json') !== true) return undefined;
    return Problem.safeParse(withSafeTexts(this.#parse(bytes))).data;
  }

  #unknown(what: string): AppError {
    const { url } = this;
    return new AppError('SERVER_UNKNOWN', `${url} is not a Manyhands server that this program can use: it ${what}`, {
      url,
    });
  }
}

/** The codes of OpenSSL and Node for certificates that are expired, self-signed, or of another name. */
const CERTIFICATE = /CERT|UNABLE_TO_(?:VERIFY|GET_ISSUER)|ALTNAME/;

const OTHER_AUTHORITY =
  'it is self-signed or issued by an authority that this machine does not know. For your own authority, set NODE_EXTRA_CA_CERTS to its certificate file';

const CERTIFICATE_REASONS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: OTHER_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: OTHER_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: OTHER_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: OTHER_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: OTHER_AUTHORITY,
  CERT_HAS_EXPIRED: 'it has expired. Renew it on the server, or correct the clock of this machine',
  CERT_NOT_YET_VALID: 'it is not valid yet. Correct the clock of this machine',
};

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'its name cannot be looked up now',
  ECONNREFUSED: 'no server listens there',
  ECONNRESET: 'the connection was closed',
  EHOSTUNREACH: 'there is no route to it',
  ENETUNREACH: 'there is no network',
  ETIMEDOUT: 'it does not answer',
};
