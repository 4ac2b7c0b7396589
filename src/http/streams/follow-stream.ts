import type { Caller } from '../../access/caller.ts';
import { STREAMS, type StreamInput, type StreamName } from '../../operations/all.ts';
import type { Origin } from '../../schema/actor.ts';
import { type Encoded, Pack } from './encoded.ts';
import type { Followed } from './feeds.ts';

/** A stream as it is requested, and who follows it. */
type StreamRequest = { name: StreamName; input: Record<string, unknown>; origin: Origin };

/** What is followed by a stream of operations, from an input that names it and the last number that was seen. */
export function followedStream(caller: Caller, { name, input, origin }: StreamRequest): Followed {
  const { after, ...what } = input;
  if (!isShared(name, what))
    return { after: 0, shared: undefined, source: (_, signal) => encoded(caller, { name, input, origin }, signal) };
  return {
    after: typeof after === 'number' ? after : 0,
    shared: `${name} ${JSON.stringify(Object.entries(what).sort())}`,
    source: (behind, signal) => encoded(caller, { name, input: { ...what, after: behind }, origin }, signal),
  };
}

/** The list of all runs does not come in the order of its numbers, and a terminal begins with its screen: these go to one reader each. */
function isShared(name: StreamName, { follow }: Record<string, unknown>): boolean {
  return name === 'watch-run' || (name === 'read-logs' && follow === true);
}

/** Until the list of all runs has come once, its numbers do not say what is still missing: then it is begun again. */
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
