import type { Caller } from '../../access/caller.ts';
import type { StreamInput, StreamName } from '../../operations/contracts.ts';
import { CURSORS } from '../../operations/routes.ts';

import { type Encoded, Pack } from './encoded.ts';
import type { Followed } from './feeds.ts';

type Asked = { name: StreamName; input: Record<string, unknown> };

/** What is followed by a stream of operations, from an input that names it and the last number that was seen. */
export function followedStream(caller: Caller, name: StreamName, input: Record<string, unknown>): Followed {
  const { after, ...what } = input;
  if (!isShared(name, what))
    return { after: 0, shared: undefined, source: (_, signal) => encoded(caller, { name, input }, signal) };
  return {
    after: typeof after === 'number' ? after : 0,
    shared: `${name} ${JSON.stringify(Object.entries(what).sort())}`,
    source: (behind, signal) => encoded(caller, { name, input: { ...what, after: behind } }, signal),
  };
}

/** The list of all runs does not come in the order of its numbers, and a terminal begins with its screen: these go to one reader each. */
function isShared(name: StreamName, { follow }: Record<string, unknown>): boolean {
  return name === 'watch-run' || (name === 'read-logs' && follow === true);
}

/** Until the list of all runs has come once, its numbers do not say what is still missing: then it is begun again. */
async function* encoded(caller: Caller, { name, input }: Asked, signal: AbortSignal): AsyncGenerator<Encoded> {
  let mayResume = name !== 'watch-runs';
  for await (const batch of caller.batches(name, unchecked(input), signal)) {
    let pack = new Pack();
    for (const item of batch) {
      const id = numberOf(item, CURSORS[name]);
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

/** Whoever carries the operation out checks its input, once for all doors. */
function unchecked<T extends StreamInput<StreamName>>(input: unknown): T;
function unchecked(input: unknown): unknown {
  return input;
}
