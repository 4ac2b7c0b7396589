import { hash } from 'node:crypto';

/** What the hash of an event covers besides the hash before it; `json` and `origin` are the stored texts. */
export type ChainedEvent = {
  stream: string;
  version: number;
  at: number;
  type: string;
  json: string;
  origin: string | null;
};

/** An event of a stream as the chain sees it: its stored hash, and the one that its content has after the event before it. */
export type ChainLink = { version: number; stored: string; computed: string };

/** The last event of a stream with its hash, which covers all events before it too. */
export type ChainHead = { stream: string; version: number; hash: string };

/** What contradicts the chain of a stream, at the first event where it does. */
export type ChainBreak = { version: number; kind: 'altered' | 'missing' | 'head'; message: string };

/** The hash before the first event. */
export const NO_EVENT = '0'.repeat(64);

/** The hash of an event: SHA-256 of the hash before it and of everything that is stored about it; no text in it contains a line break. */
export function eventHash(previous: string, { stream, version, at, type, json, origin }: ChainedEvent): string {
  return hash('sha256', `${previous}\n${JSON.stringify([stream, version, at, type, origin])}\n${json}`, 'hex');
}

/** The links of a stream's events in order. A link is computed from the stored hash before it, so that one altered event is one break. */
export function chainLinks(events: Iterable<ChainedEvent & { hash: string }>): ChainLink[] {
  const links: ChainLink[] = [];
  let previous = NO_EVENT;
  for (const { hash: stored, ...event } of events) {
    links.push({ version: event.version, stored, computed: eventHash(previous, event) });
    previous = stored;
  }
  return links;
}

/** The first contradiction in the chain of a stream whose recorded head is given; undefined if there is none. */
export function findChainBreak(links: readonly ChainLink[], head: ChainHead | undefined): ChainBreak | undefined {
  for (const [index, { version, stored, computed }] of links.entries()) {
    const expected = index + 1;
    if (version !== expected) return { version: expected, kind: 'missing', message: `event ${expected} is missing` };
    if (stored !== computed)
      return {
        version,
        kind: 'altered',
        message: `event ${version} was altered, replaced or moved: its content does not have its recorded hash`,
      };
  }
  const last = links.at(-1);
  if (head === undefined && last === undefined) return undefined;
  if (head === undefined || last === undefined || last.version < head.version) {
    const from = (last?.version ?? 0) + 1;
    return { version: from, kind: 'missing', message: `the events from ${from} on are missing` };
  }
  if (last.version === head.version && last.stored === head.hash) return undefined;
  return { version: head.version, kind: 'head', message: `the recorded head of the stream is not its last event` };
}

/** The written form of a chain head, as reports, exports and commits have it: `k3v9x2ab@42:<sha256>`. */
export function headText({ stream, version, hash }: ChainHead): string {
  return `${stream.replace(/^run\//, '')}@${version}:${hash}`;
}

/** A chain head that someone kept: the written form, or only the hash. */
export type KeptHead = { stream?: string; version?: number; hash: string };

/** Reads the written form of a chain head; undefined if it is none. */
export function parseHead(text: string): KeptHead | undefined {
  const [, name, version, hash] = /^(?:([^\s@]+)@(\d+):)?([0-9a-f]{64})$/.exec(text.trim()) ?? [];
  if (hash === undefined) return undefined;
  if (name === undefined) return { hash };
  return { stream: name.includes('/') ? name : `run/${name}`, version: Number(version), hash };
}

/** Whether the chain of a stream still has a head that was kept: `upTo` events are as they were then, or the reason why not. */
export type HeadCheck = { holds: true; upTo: number } | { holds: false; message: string };

/** Compares a chain with a head that was kept outside the database. */
export function checkHead(links: readonly ChainLink[], kept: KeptHead): HeadCheck {
  const at = kept.version ?? links.find(({ stored }) => stored === kept.hash)?.version;
  const before = findChainBreak(links, headOf(links));
  if (at === undefined)
    return { holds: false, message: 'no event has this hash: events up to it were altered, dropped or reordered' };
  if (before !== undefined && before.version <= at) return { holds: false, message: before.message };
  const link = links[at - 1];
  if (link === undefined)
    return { holds: false, message: `the stream ends at event ${links.length}; the head is event ${at}` };
  if (link.computed === kept.hash) return { holds: true, upTo: at };
  const message = `event ${at} has another hash: events up to it were altered, dropped or reordered, and the chain was computed again`;
  return { holds: false, message };
}

function headOf(links: readonly ChainLink[]): ChainHead | undefined {
  const last = links.at(-1);
  return last === undefined ? undefined : { stream: '', version: last.version, hash: last.stored };
}
