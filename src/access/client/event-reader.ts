import { AppError } from '../../errors.ts';

/** One server-sent event; `id` is the number after which the stream is resumed. */
export type ServerEvent = { event: string; data: string; id: string | undefined };

/** The longest event that is read. */
const MAX_EVENT_BYTES = 32 * 1024 * 1024;

/** The events in chunks of bytes; those that arrive together come as one batch. An event that was cut off is dropped. */
export async function* readEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent[]> {
  const decoder = new TextDecoder();
  let rest: string[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    // The last character is kept with the next piece, which may continue the end of an event.
    const text = `${rest.pop() ?? ''}${decoder.decode(chunk, { stream: true })}`;
    const end = text.lastIndexOf('\n\n');
    if (end < 0) {
      size += chunk.length;
      if (size > MAX_EVENT_BYTES) throw new AppError('SERVER_UNKNOWN', 'The server sends an event without end');
      rest.push(text.slice(0, -1), text.slice(-1));
      continue;
    }
    const events = [...rest, text.slice(0, end)].join('').split('\n\n').flatMap(eventOf);
    const after = text.slice(end + 2);
    rest = [after.slice(0, -1), after.slice(-1)];
    size = after.length;
    if (events.length > 0) yield events;
  }
}

function eventOf(text: string): ServerEvent[] {
  let event = 'message';
  let id: string | undefined;
  const data: string[] = [];
  for (const line of text.split('\n')) {
    const colon = line.indexOf(':');
    if (colon <= 0) continue;
    const value = line.slice(colon + 1).replace(/^ /, '');
    const field = line.slice(0, colon);
    if (field === 'data') data.push(value);
    else if (field === 'event') event = value;
    else if (field === 'id') id = value;
  }
  return data.length === 0 ? [] : [{ event, data: data.join('\n'), id }];
}
