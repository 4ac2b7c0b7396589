/** An event of a stream as a browser would take it. */
export type ReceivedEvent = { id: string | undefined; event: string; data: unknown };

/** Reads the events of an answer as they come; beats and comments go to `aside`. */
export async function* receiveEvents(
  response: Response,
  aside: (block: string) => void = () => {},
): AsyncGenerator<ReceivedEvent> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const piece of response.body ?? []) {
    rest += decoder.decode(piece, { stream: true });
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map((line) => fieldOf(line)));
      const data = fields.get('data');
      if (data === undefined || fields.get('event') === 'beat') aside(block);
      else yield { id: fields.get('id'), event: fields.get('event') ?? 'message', data: JSON.parse(data) };
    }
  }
}

function fieldOf(line: string): [string, string] {
  const colon = line.indexOf(': ');
  return colon < 0 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 2)];
}

/** Something that is written to, and followed behind a number by any number of streams. */
export function journal() {
  const lines: { id: number; text: string }[] = [];
  const waiting = new Set<() => void>();
  let taken = 0;
  return {
    write(...texts: string[]): void {
      for (const text of texts) lines.push({ id: lines.length + 1, text });
      for (const wake of [...waiting]) wake();
    },
    /** How often it was asked for a line, over all streams. */
    taken: () => taken,
    async *follow(after: number, signal: AbortSignal): AsyncGenerator<{ id: number; text: string }> {
      for (let next = after; !signal.aborted; ) {
        const line = lines[next];
        if (line !== undefined) {
          next += 1;
          taken += 1;
          yield line;
          continue;
        }
        const { promise, resolve } = Promise.withResolvers<void>();
        waiting.add(resolve);
        signal.addEventListener('abort', () => resolve(), { once: true });
        await promise;
        waiting.delete(resolve);
      }
    },
  };
}
