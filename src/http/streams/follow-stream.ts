import type { Caller } from '../../access/caller.ts';
import { STREAMS, type StreamInput, type StreamName } from '../../operations/all.ts';
import { isGuest } from '../../operations/authorize.ts';
import type { Origin } from '../../schema/actor.ts';
import { type Encoded, Pack } from './encoded.ts';
import type { Followed } from './feeds.ts';

/** A requested stream, and who requested it. */
type StreamRequest = { name: StreamName; input: Record<string, unknown>; origin: Origin };

/** The source of a stream, from its input and the last number that the client received. */
export function followedStream(caller: Caller, { name, input, origin }: StreamRequest): Followed {
  const { after, ...what } = input;
  if (!isShared(name, what))
    return { after: 0, shared: undefined, source: (_, signal) => encoded(caller, { name, input, origin }, signal) };
  return {
    after: typeof after === 'number' ? after : 0,
    // A guest gets less of the same stream.
    shared: `${isGuest(origin) ? 'guest ' : ''}${name} ${JSON.stringify(Object.entries(what).sort())}`,
    source: (last, signal) => encoded(caller, { name, input: { ...what, after: last }, origin }, signal),
  };
}

/** The list of runs is not ordered by number, and a terminal begins with its screen: these are not shared. */
function isShared(name: StreamName, { follow }: Record<string, unknown>): boolean {
  return name === 'watch-run' || (name === 'read-logs' && follow === true);
}

/** Encodes items; the list of runs can be resumed by number only after its first complete transfer. */
async function* encoded(
  caller: Caller,
  { name, input, origin }: StreamRequest,
  signal: AbortSignal,
): AsyncGenerator<Encoded> {
  let mayResume = name !== 'watch-runs';
  // The stream checks its input where it is run, the same for every entry point.
  for await (const batch of caller.batches(name, input as StreamInput<StreamName>, { signal, origin })) {
    let pack = new Pack();
    for (const item of batch) {
      const id = numberOf(item, STREAMS[name].cursor);
      mayResume ||= typeof item === 'object' && item !== null && 'ready' in item;
      const head = id === undefined || !mayResume ? '' : `id: ${id}\n`;
      pack.add(id, `${head}data: ${JSON.stringify(item)}\n\n`);
      if (pack.isLarge) {
        yield pack.encoded();
        pack = new Pack();
      }
    }
    if (!pack.isEmpty) yield pack.encoded();
  }
}

function numberOf(item: unknown, field: string): number | undefined {
  const value: unknown = typeof item === 'object' && item !== null ? Reflect.get(item, field) : undefined;
  return typeof value === 'number' ? value : undefined;
}
