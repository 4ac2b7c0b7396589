import { z } from 'zod';
import { AppError, ERRORS, type ErrorCode, messageOf } from '../../errors.ts';
import { Origin } from '../../schema/actor.ts';

const NEWLINE = 0x0a;

/** A longer line is never sent, and a peer that sends one is disconnected. */
export const LONGEST_LINE_BYTES = 64 * 1024 * 1024;

/** The flow-control window of a stream: no more items are produced while this much is unacknowledged. */
export const WINDOW_BYTES = 1024 * 1024;

/** The first line of either side. */
export const Hello = z.object({ manyhands: z.number().int() });

const Id = z.number().int().positive();

/** A client's message: `ask` calls an operation, `cancel` aborts it, `took` acknowledges bytes of a stream. */
export const ClientMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('ask'),
    id: Id,
    operation: z.string(),
    input: z.unknown().optional(),
    origin: Origin.optional(),
  }),
  z.object({ type: z.literal('cancel'), id: Id }),
  z.object({ type: z.literal('took'), id: Id, bytes: z.number().int().positive() }),
]);
export type ClientMessage = z.infer<typeof ClientMessage>;

const WireError = z.object({ code: z.string(), message: z.string(), details: z.record(z.string(), z.unknown()) });
type WireError = z.infer<typeof WireError>;

/** A server's response: one `result`, or any number of `item`s and an `end`, or an `error`. */
export const ServerMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('result'), id: Id, value: z.unknown().optional() }),
  z.object({ type: z.literal('item'), id: Id, value: z.unknown().optional() }),
  z.object({ type: z.literal('end'), id: Id }),
  z.object({ type: z.literal('error'), id: Id, error: WireError }),
]);
export type ServerMessage = z.infer<typeof ServerMessage>;

/** A message as one line; throws if it is not JSON or too long, before anything is sent. */
export function encodeLine(message: ClientMessage | ServerMessage | z.infer<typeof Hello>): Buffer {
  const line = Buffer.from(`${toJson(message)}\n`);
  if (line.length <= LONGEST_LINE_BYTES) return line;
  const limit = `${LONGEST_LINE_BYTES} bytes`;
  throw new AppError('INPUT_INVALID', `A message of ${line.length} bytes is longer than ${limit}`, {
    bytes: line.length,
  });
}

/** The message in a line, or undefined if the line is not a valid message. */
export function decodeLine<T>(schema: z.ZodType<T>, line: Buffer): T | undefined {
  try {
    return schema.safeParse(JSON.parse(line.toString())).data;
  } catch {
    // Safe: a line that is not JSON is not a message, and the caller disconnects its sender.
    return undefined;
  }
}

/** An error line; anything but an AppError is sent as INTERNAL with its message. */
export function encodeError(id: number, error: unknown): Buffer {
  const code = error instanceof AppError ? error.code : 'INTERNAL';
  const details = error instanceof AppError ? error.details : {};
  try {
    return encodeLine({ type: 'error', id, error: { code, message: messageOf(error), details } });
  } catch {
    // Safe: details that are not JSON, or too long, are omitted; code and message still arrive.
    return encodeLine({ type: 'error', id, error: { code, message: messageOf(error).slice(0, 10_000), details: {} } });
  }
}

/** The error as it was thrown on the other side; a code unknown to this program becomes INTERNAL. */
export function reviveError({ code, message, details }: WireError): AppError {
  return isErrorCode(code)
    ? new AppError(code, message, details)
    : new AppError('INTERNAL', message, { ...details, code });
}

function toJson(message: unknown): string {
  try {
    return JSON.stringify(message);
  } catch (cause) {
    throw new AppError('INTERNAL', `A message is not JSON: ${messageOf(cause)}`, {}, { cause });
  }
}

/** Whether a text from another process is a known error code. */
export function isErrorCode(code: string | undefined): code is ErrorCode {
  return code !== undefined && Object.hasOwn(ERRORS, code);
}

/** Splits chunks into lines, in linear time; returns false once a line is longer than the limit, and must not be used further. */
export function createLineSplitter(longestBytes: number, onLine: (line: Buffer) => void): (chunk: Buffer) => boolean {
  let partial: Buffer[] = [];
  let partialBytes = 0;

  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const rest = chunk.subarray(start, end);
      if (partialBytes + rest.length > longestBytes) return false;
      const line = partial.length === 0 ? rest : Buffer.concat([...partial, rest]);
      partial = [];
      partialBytes = 0;
      start = end + 1;
      onLine(line);
    }
    if (start < chunk.length) partial.push(chunk.subarray(start));
    partialBytes += chunk.length - start;
    return partialBytes <= longestBytes;
  };
}
