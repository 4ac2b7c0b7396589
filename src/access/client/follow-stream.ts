import { AppError } from '../../errors.ts';
import type { World } from '../../world.ts';
import { reviveError } from '../socket/protocol.ts';
import { withSafeTexts } from './answer-text.ts';
import { readEvents, type ServerEvent } from './event-reader.ts';
import { Problem, type ServerConnection } from './server-connection.ts';

/** A stream of a server; `cursor` is the field of its items that only rises. */
type StreamRequest = { path: string; cursor: string | undefined };

type Following = { world: World; signal: AbortSignal; onConnection?: ((text: string) => void) | undefined };

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
/** How long a server may be away: as long as an engine waits for its database. */
const GIVE_UP_MS = 600_000;

/**
 * The items of a stream as they arrive, each once and in order: after a lost connection it continues behind the last
 * one. Ends when the server says that there is nothing more, or when the signal aborts.
 */
export async function* followStream(
  connection: ServerConnection,
  request: StreamRequest,
  { world, signal, onConnection }: Following,
): AsyncGenerator<unknown[]> {
  const position: Position = { last: undefined, number: undefined };
  let lostAt: number | undefined;
  let pauseMs = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    try {
      const answer = await connection.stream(request.path, position.last, signal);
      if (lostAt !== undefined) onConnection?.(`Reconnected to ${connection.url}`);
      lostAt = undefined;
      pauseMs = FIRST_PAUSE_MS;
      for await (const events of readEvents(answer)) {
        const { items, end } = take(events, request, position);
        if (items.length > 0) yield items;
        if (end instanceof AppError) throw end;
        if (end === 'complete') return;
      }
    } catch (error) {
      if (signal.aborted) return;
      const failure = connection.failure(error);
      if (!isTemporary(failure)) throw failure;
      if (lostAt === undefined) onConnection?.(`${failure.message}; trying again`);
      lostAt ??= world.now();
      if (world.now() - lostAt > GIVE_UP_MS) throw failure;
    }
    // Safe: the end of the pause by the signal is the end of the loop.
    await world.sleep(pauseMs, signal).catch(() => {});
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
  }
}

/** How far the stream was received: the id to continue behind, and the number of the last item. */
type Position = { last: string | undefined; number: number | undefined };

/** What arrived together: items, and how the stream ended behind them. */
function take(
  events: readonly ServerEvent[],
  { cursor }: StreamRequest,
  position: Position,
): { items: unknown[]; end?: 'complete' | AppError } {
  const items: unknown[] = [];
  for (const { event, data, id } of events) {
    if (event === 'end') return { items, end: 'complete' };
    if (event !== 'message' && event !== 'problem') continue;
    const item = parsed(data);
    if (item instanceof AppError) return { items, end: item };
    if (event === 'problem') return { items, end: problemIn(item) };
    const number = cursor === undefined ? undefined : numberIn(item, cursor);
    if (number !== undefined && position.number !== undefined && number <= position.number) continue;
    position.number = number ?? position.number;
    if (id !== undefined && /^\d{1,15}$/.test(id)) position.last = id;
    items.push(item);
  }
  return { items };
}

/** What passes when the server, its engine or its database is there again. */
function isTemporary({ code }: AppError): boolean {
  return code === 'SERVER_UNREACHABLE' || code === 'ENGINE_GONE' || code === 'DATABASE_UNREACHABLE';
}

function problemIn(data: unknown): AppError {
  const { code, detail, details } = Problem.parse(withSafeTexts(data));
  return reviveError({ code, message: detail, details });
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return new AppError('SERVER_UNKNOWN', 'The server sends an event that is not JSON');
  }
}

function numberIn(item: unknown, field: string): number | undefined {
  const value: unknown = typeof item === 'object' && item !== null ? Reflect.get(item, field) : undefined;
  return typeof value === 'number' ? value : undefined;
}
