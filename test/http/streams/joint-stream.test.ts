import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Opened, openServer } from '../open-test-server.ts';
import { journal, type ReceivedEvent, receiveEvents } from '../received-events.ts';

const Input = z.object({ run: z.string(), after: z.number().default(0) });
const logs = (run: string, after = 0) => `/api/runs/${run}/logs?follow=true&after=${after}`;

describe('several streams in one connection', () => {
  it('arrive as they happen, each item below the mark of its stream, each after its own last item', async () => {
    const books = { aaaaaaaa: journal(), bbbbbbbb: journal() };
    await using server = await openServer({
      stream: ({ input }, signal) => {
        const { run, after } = Input.parse(input);
        return books[z.enum(['aaaaaaaa', 'bbbbbbbb']).parse(run)].follow(after, signal);
      },
    });
    books.aaaaaaaa.write('a1', 'a2');
    const events = receiveEvents(await open(server, [logs('aaaaaaaa', 1), logs('bbbbbbbb')]));
    expect(await itemsOf(events, 1)).toEqual(['0 2 a2']);
    books.bbbbbbbb.write('b1');
    expect(await itemsOf(events, 1)).toEqual(['1 1 b1']);
    books.aaaaaaaa.write('a3');
    expect(await itemsOf(events, 1)).toEqual(['0 3 a3']);
    await events.return(undefined);
  });

  it('end one by one: an end differs from a failure, and the others continue', async () => {
    const book = journal();
    await using server = await openServer({
      stream: async function* ({ input }, signal) {
        const { run, after } = Input.parse(input);
        if (run === 'brokenxx') throw new Error('lost');
        if (run === 'overxxxx') yield { id: 1, text: 'last' };
        else yield* book.follow(after, signal);
      },
    });
    const events = receiveEvents(await open(server, [logs('overxxxx'), logs('brokenxx'), logs('livexxxx')]));
    const ends: unknown[] = [];
    while (ends.length < 2) {
      const { value } = await events.next();
      if (value?.event === 'ended') ends.push(value.data);
    }
    expect(ends).toContainEqual({ stream: 0, isComplete: true });
    expect(ends).toContainEqual({ stream: 1, isComplete: false });
    book.write('still here');
    expect(await itemsOf(events, 1)).toEqual(['2 1 still here']);
    await events.return(undefined);
  });

  it('are refused as a whole where one is not a stream, is unknown or is too many', async () => {
    await using server = await openServer({ stream: async function* () {} });
    const refused = [
      [],
      ['/api/runs'],
      ['/api/runs/k3v9x2ab'],
      ['/login'],
      ['/api/runs/%zz/events'],
      ['/api/settings?dir=/'],
    ];
    for (const targets of [...refused, Array<string>(101).fill(logs('k3v9x2ab'))])
      expect((await open(server, targets)).status, String(targets[0])).toBe(400);
    expect((await open(server, ['/api/runs/k3v9x2ab/events?nothing=1'])).status).toBe(400);
  });
});

async function open(server: Opened, targets: readonly string[]): Promise<Response> {
  return server.ask(
    `/api/streams?${new URLSearchParams(targets.map((target): [string, string] => ['stream', target]))}`,
  );
}

/** The next items, each with its stream and its id. */
async function itemsOf(events: AsyncGenerator<ReceivedEvent>, count: number): Promise<string[]> {
  const items: string[] = [];
  let stream: unknown;
  while (items.length < count) {
    const { value, done } = await events.next();
    if (done === true) break;
    if (value.event === 'stream') stream = value.data;
    if (value.event === 'message')
      items.push(`${stream} ${value.id} ${z.object({ text: z.string() }).parse(value.data).text}`);
  }
  return items;
}
