import type { ServerResponse } from 'node:http';
import { AppError, ERRORS, messageOf } from '../../errors.ts';

/** A failure in the format of RFC 9457, with the error code, the hint and the details. */
export type Problem = {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  hint: string;
  details: Record<string, unknown>;
};

const CONTENT_TYPE = 'application/problem+json';

/** The problem for a thrown value; anything but an AppError is a defect of this program. */
export function problemOf(thrown: unknown): Problem {
  const error = thrown instanceof AppError ? thrown : new AppError('INTERNAL', messageOf(thrown));
  const { code, message, hint, details } = error;
  return {
    type: `/api/docs#${code}`,
    title: titleOf(code),
    status: ERRORS[code].http,
    detail: message,
    code,
    hint,
    details,
  };
}

/** `RUN_UNKNOWN` as `Run unknown`. */
export function titleOf(code: string): string {
  const words = code.toLowerCase().replaceAll('_', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

export function problemResponse(thrown: unknown, headers: Record<string, string> = {}): Response {
  const problem = problemOf(thrown);
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: { ...headers, ...closing(problem), 'content-type': CONTENT_TYPE },
  });
}

/** Answers a request that was not admitted; the rest of it is not read. */
export function sendProblem(outgoing: ServerResponse, thrown: unknown): void {
  const problem = problemOf(thrown);
  outgoing.writeHead(problem.status, { ...closing(problem), 'content-type': CONTENT_TYPE, connection: 'close' });
  outgoing.once('finish', () => outgoing.socket?.destroySoon());
  outgoing.end(JSON.stringify(problem));
}

/** Headers of answers after which the connection is closed. */
function closing({ status }: Problem): Record<string, string> {
  if (status === 429) return { connection: 'close', 'retry-after': '60' };
  return status === 413 ? { connection: 'close' } : {};
}

/** The complete answer as text, for a connection that has no request object. */
export function problemText(thrown: unknown): string {
  const problem = problemOf(thrown);
  const body = JSON.stringify(problem);
  const head = [
    `HTTP/1.1 ${problem.status} ${problem.title}`,
    `content-type: ${CONTENT_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'x-content-type-options: nosniff',
    'cache-control: no-store',
    'connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
