import type { ServerResponse } from 'node:http';
import { AppError, ERRORS, messageOf } from '../../errors.ts';

/** A failure as RFC 9457 writes it, with our code, what to do, and the details. */
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

/** The problem that stands for anything that was thrown; what is no row of the table is our own defect. */
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

/** `RUN_UNKNOWN` in words. */
export function titleOf(code: string): string {
  const words = code.toLowerCase().replaceAll('_', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

export function problemResponse(thrown: unknown, headers: Record<string, string> = {}): Response {
  const problem = problemOf(thrown);
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: { ...headers, ...(problem.status === 413 ? { connection: 'close' } : {}), 'content-type': CONTENT_TYPE },
  });
}

/** Answers a request that got no further; what it still sends is not read. */
export function sendProblem(outgoing: ServerResponse, thrown: unknown): void {
  const problem = problemOf(thrown);
  outgoing.writeHead(problem.status, { 'content-type': CONTENT_TYPE, connection: 'close' });
  outgoing.once('finish', () => outgoing.socket?.destroySoon());
  outgoing.end(JSON.stringify(problem));
}

/** A whole answer in text, for a connection that is no request any more. */
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
