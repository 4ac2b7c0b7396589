import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AppError } from '../../../src/errors.ts';
import { takeToken } from '../../../src/http/login/tokens.ts';
import { realWorld } from '../../../src/world.ts';
import { fakeWorld } from '../../cli/test-platform.ts';
import { until } from '../../support/until.ts';
import { type Call, type Opened, openServer } from '../open-test-server.ts';
import { journal, type ReceivedEvent, receiveEvents } from '../received-events.ts';

const After = z.object({ after: z.number().default(0) });
const LOGS = '/api/runs/k3v9x2ab/logs?follow=true';

describe('a stream', () => {
  it('goes on behind the last id: nothing is missing and nothing comes twice, wherever it was cut', async () => {
    const book = journal();
    await using server = await openServer({ stream: following(book) });
    const seen: string[] = [];
    let last: string | undefined;
    for (let cut = 1; cut <= 12; cut += 1) {
      book.write(...numbers(1, 40));
      const expected = seen.length + cut * 3;
      for await (const { id } of await listen(server, LOGS, last)) {
        if (id === undefined) continue;
        last = id;
        seen.push(id);
        if (seen.length === expected) break;
      }
    }
    expect(seen).toEqual(seen.map((_, index) => String(index + 1)));
    expect(seen.length).toBeGreaterThan(100);
  });

  it('is read from its source once for all who follow it, and a late one catches up', async () => {
    const book = journal();
    await using server = await openServer({ stream: following(book) });
    book.write(...numbers(1, 100));
    const first = collect(await listen(server, LOGS), 300);
    const second = collect(await listen(server, LOGS, '100'), 200);
    book.write(...numbers(101, 100));
    const late = collect(await listen(server, LOGS), 300);
    book.write(...numbers(201, 100));
    const [one, two, three] = await Promise.all([first, second, late]);
    expect(one).toEqual(ids(1, 300));
    expect(two).toEqual(ids(101, 300));
    expect(three).toEqual(ids(1, 300));
    expect(server.calls.filter(({ name }) => name === 'read-logs').length).toBeLessThanOrEqual(2);
  });

  it('stops asking its source when nobody listens any more', async () => {
    const book = journal();
    let isOver = false;
    await using server = await openServer({
      stream: async function* (call, signal) {
        try {
          yield* book.follow(After.parse(call.input).after, signal);
        } finally {
          isOver = true;
        }
      },
    });
    book.write('a');
    for await (const _ of await listen(server, LOGS)) break;
    await until(() => isOver);
  });

  it('costs a bounded amount for one who does not read, cuts that one in the end, and the others lose nothing', async () => {
    const clock = fakeWorld(realWorld.now());
    const book = journal();
    await using server = await openServer({
      stream: following(book),
      world: { ...realWorld, now: clock.now, alarm: clock.alarm },
    });
    const stuck = connect(server.port, '127.0.0.1');
    const isCut = new Promise((resolve) => stuck.once('close', resolve));
    stuck.on('error', () => {});
    stuck.write(
      `GET ${LOGS} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${server.tokens.operator}\r\n\r\n`,
    );
    stuck.once('readable', () => {});
    const line = 'x'.repeat(10_000);
    book.write(...Array<string>(5_000).fill(line));
    await until(() => book.taken() > 0);
    await until(() => isSteady(book.taken));
    expect(book.taken() * line.length).toBeLessThan(16 * 1024 * 1024);
    expect(await collect(await listen(server, LOGS), 5_000)).toEqual(ids(1, 5_000));
    expect(stuck.destroyed).toBe(false);
    clock.advance(31_000);
    stuck.resume();
    await isCut;
  }, 30_000);

  it('shows that it lives when nothing happens, and ticks for nobody else', async () => {
    const clock = fakeWorld(realWorld.now());
    const book = journal();
    await using server = await openServer({
      stream: following(book),
      world: { ...realWorld, now: clock.now, alarm: clock.alarm },
    });
    book.write('a');
    const asides: string[] = [];
    const items = receiveEvents(await open(server, LOGS), (aside) => asides.push(aside));
    await items.next();
    clock.advance(20_000);
    book.write('b');
    await items.next();
    clock.advance(10_000);
    book.write('c');
    await items.next();
    expect(asides).toEqual(['retry: 1000', 'event: beat\ndata: {}']);
    await items.return(undefined);
  });

  it('ends for one whose login was taken away', async () => {
    const clock = fakeWorld(realWorld.now());
    const book = journal();
    await using server = await openServer({
      stream: following(book),
      world: { ...realWorld, now: clock.now, alarm: clock.alarm },
    });
    book.write('a');
    const items = receiveEvents(await open(server, LOGS));
    await items.next();
    await takeToken(join(server.folder, 'server'), 'operator', { world: realWorld, renew: true });
    clock.advance(20_000);
    await expect(items.next()).rejects.toThrow();
  });

  it('says when there is no more, and when only the server goes away', async () => {
    const book = journal();
    await using server = await openServer({
      stream: async function* (call, signal) {
        if (call.name === 'watch-run') yield* book.follow(0, signal);
        else yield { id: 1 };
      },
    });
    const whole = await collectAll(await listen(server, '/api/runs/k3v9x2ab/logs'));
    expect(whole.map(({ event }) => event)).toEqual(['message', 'end']);
    book.write('a');
    const living = collectAll(await listen(server, '/api/runs/k3v9x2ab/events'));
    await until(() => server.calls.length === 2);
    await server.close();
    expect((await living).at(-1)).toMatchObject({ event: 'closing' });
  });

  it('fails with a status at once, and with an event later', async () => {
    await using server = await openServer({
      stream: async function* ({ name }) {
        if (name === 'read-logs') yield { id: 1 };
        throw new AppError('RUN_UNKNOWN', 'There is no run zzz');
      },
    });
    const early = await open(server, '/api/runs/zzz/events');
    expect([early.status, early.headers.get('content-type')]).toEqual([404, 'application/problem+json']);
    const later = await collectAll(await listen(server, '/api/runs/zzz/logs'));
    expect(later.at(-1)).toMatchObject({ event: 'problem', data: { code: 'RUN_UNKNOWN' } });
  });

  it('of all runs can be resumed only once the whole list has come', async () => {
    await using server = await openServer({
      stream: async function* () {
        yield { position: 9, run: { run: 'b' } };
        yield { position: 3, run: { run: 'a' } };
        yield { position: 9, ready: true };
        yield { position: 10, run: { run: 'a' } };
      },
    });
    const received = await collectAll(await listen(server, '/api/runs/stream'));
    expect(received.map(({ id }) => id)).toEqual([undefined, undefined, '9', '10', undefined]);
  });
});

type Book = ReturnType<typeof journal>;

function following(book: Book) {
  return (call: Call, signal: AbortSignal) => book.follow(After.parse(call.input).after, signal);
}

function open(server: Opened, path: string, last?: string): Promise<Response> {
  const authorization = `Bearer ${server.tokens.operator}`;
  return server.ask(path, { headers: { authorization, ...(last === undefined ? {} : { 'last-event-id': last }) } });
}

async function listen(server: Opened, path: string, last?: string): Promise<AsyncGenerator<ReceivedEvent>> {
  return receiveEvents(await open(server, path, last));
}

async function collect(received: AsyncGenerator<ReceivedEvent>, count: number): Promise<(string | undefined)[]> {
  const found: (string | undefined)[] = [];
  for await (const { id } of received) {
    found.push(id);
    if (found.length === count) break;
  }
  return found;
}

async function collectAll(received: AsyncGenerator<ReceivedEvent>): Promise<ReceivedEvent[]> {
  const found: ReceivedEvent[] = [];
  for await (const each of received) found.push(each);
  return found;
}

function numbers(from: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `line ${from + index}`);
}

function ids(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, index) => String(from + index));
}

async function isSteady(count: () => number): Promise<boolean> {
  const before = count();
  await realWorld.sleep(100);
  return count() === before;
}
