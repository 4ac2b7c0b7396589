import { readFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { PROTOCOL } from './protocol-version.ts';

/** An agent does not wait longer for a warning: without an answer it continues without one. */
const MOST_WAIT_MS = 5_000;
const CALL = 'check_edit';
const ID = 1;

/**
 * What the engine says about an edit of these files by the attempt of this tools file; undefined where there is nothing
 * to say, or no engine answers in time. It does without the schemas of the protocol: it is called for every edit, and
 * loading them takes longer than the call.
 */
export function editWarning(toolsFile: string, paths: readonly string[]): Promise<string | undefined> {
  const { socket: path, token } = JSON.parse(readFileSync(toolsFile, 'utf8'));
  const result = Promise.withResolvers<string | undefined>();
  const socket = createConnection({ path, timeout: MOST_WAIT_MS });
  let received = '';
  socket.setEncoding('utf8');
  socket.on('timeout', () => socket.destroy());
  socket.on('data', (chunk: string) => {
    received += chunk;
    const answer = answerIn(received);
    if (answer === undefined) return;
    result.resolve(warningIn(answer));
    socket.destroy();
  });
  // Safe: an edit without a warning is no error, and an engine that has ended cannot warn.
  socket.on('error', () => {});
  socket.on('close', () => result.resolve(undefined));
  const input = { token, call: `${CALL}-${process.pid}`, arguments: { paths } };
  const request = { type: 'ask', id: ID, operation: CALL, input };
  socket.write(`${JSON.stringify({ manyhands: PROTOCOL })}\n${JSON.stringify(request)}\n`);
  return result.promise;
}

/** The complete line that answers the call, behind the first line of the engine. */
function answerIn(received: string): unknown {
  const [, answer, ...rest] = received.split('\n');
  return rest.length === 0 || answer === undefined ? undefined : JSON.parse(answer);
}

function warningIn(answer: unknown): string | undefined {
  const value = typeof answer === 'object' && answer !== null && 'value' in answer ? answer.value : undefined;
  const warning = typeof value === 'object' && value !== null && 'warning' in value ? value.warning : undefined;
  return typeof warning === 'string' ? warning : undefined;
}
