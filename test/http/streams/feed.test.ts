import { describe, expect, it } from 'vitest';
import { type Encoded, Pack } from '../../../src/http/streams/encoded.ts';
import { Feed } from '../../../src/http/streams/feed.ts';

/** Items with these numbers, whose texts are longer in bytes than in characters. */
function packed(...ids: number[]): Encoded {
  const pack = new Pack();
  for (const id of ids) pack.add(id, `${id}ü\n`);
  return pack.encoded();
}

/** A feed of these packs, after which nothing more comes for now. */
function feedOf(...packs: Encoded[]): Feed {
  const source = async function* (signal: AbortSignal) {
    yield* packs;
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  };
  return new Feed({ source, after: 0, onIdle: () => {} });
}

async function readBehind(feed: Feed, after: number, last: number): Promise<string> {
  const reader = feed.open(after);
  let text = '';
  for (let seen = after; seen < last; ) {
    const piece = await reader.read();
    if (piece === undefined || piece === 'lost') throw new Error('nothing more came');
    text += piece.bytes.toString();
    seen = piece.last ?? seen;
  }
  return text;
}

function linesOf(first: number, last: number): string {
  return Array.from({ length: last - first + 1 }, (_, index) => `${first + index}ü\n`).join('');
}

describe('items that came together', () => {
  it('are given one by one to who comes back in the middle of them, wherever that is', async () => {
    const feed = feedOf(packed(1, 2, 3, 4), packed(5), packed(6, 7, 8));
    const first = feed.open(0);
    for (const after of [0, 1, 2, 3, 4, 5, 6, 7])
      expect(await readBehind(feed, after, 8), `behind ${after}`).toBe(linesOf(after + 1, 8));
    first.close();
  });

  it('may have numbers between which others are missing', async () => {
    const feed = feedOf(packed(3, 9), packed(20));
    const first = feed.open(0);
    expect(await readBehind(feed, 5, 20)).toBe('9ü\n20ü\n');
    expect(await readBehind(feed, 9, 20)).toBe('20ü\n');
    first.close();
  });

  it('are cut into pieces where they are long', () => {
    const pack = new Pack();
    expect([pack.isEmpty, pack.isLarge]).toEqual([true, false]);
    pack.add(1, 'ü'.repeat(32 * 1024));
    expect([pack.isEmpty, pack.isLarge]).toEqual([false, true]);
  });

  it('that are a long history leave a turn to everybody else between them', async () => {
    const pieces = Array.from({ length: 40 }, (_, index) => {
      const pack = new Pack();
      pack.add(index + 1, 'x'.repeat(64 * 1024));
      return pack.encoded();
    });
    let turns = 0;
    let isOver = false;
    const turn = () => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    await readBehind(feedOf(...pieces), 0, 40);
    isOver = true;
    expect(turns).toBeGreaterThan(10);
  });
});
