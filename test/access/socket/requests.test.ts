import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { Handle } from '../../../src/access/socket/connection.ts';
import { AppError } from '../../../src/errors.ts';
import { all, serveAndConnect } from './served.ts';

describe('A call', () => {
  it('brings the input to the engine and the answer back', async () => {
    const client = await serveAndConnect(async (request) => request);
    expect(await client.call('show', { run: 'ü\n\0' })).toEqual({ operation: 'show', input: { run: 'ü\n\0' } });
    expect(await client.call('nothing', undefined)).toEqual({ operation: 'nothing' });
  });

  it('may have no answer but its end', async () => {
    const client = await serveAndConnect(async () => undefined);
    expect(await client.call('cancel', {})).toBeUndefined();
  });

  it('does not wait for another one on the same connection', async () => {
    const first = Promise.withResolvers<string>();
    const client = await serveAndConnect(({ operation }) =>
      operation === 'first' ? first.promise : Promise.resolve('second'),
    );
    const slow = client.call('first', {});
    expect(await client.call('second', {})).toBe('second');
    first.resolve('first');
    expect(await slow).toBe('first');
  });

  it('is kept apart from hundreds of others', async () => {
    const client = await serveAndConnect(async ({ input }) => input);
    const numbers = Array.from({ length: 500 }, (_, n) => n);
    expect(await Promise.all(numbers.map((n) => client.call('echo', n)))).toEqual(numbers);
  });

  it('rejects with the very error that the engine threw', async () => {
    const client = await serveAndConnect(async () => {
      throw new AppError('RUN_UNKNOWN', 'There is no run abc', { run: 'abc' });
    });
    const error = await client.call('show', {}).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({
      code: 'RUN_UNKNOWN',
      message: 'There is no run abc',
      details: { run: 'abc' },
      exitCode: 3,
    });
  });

  it('rejects with INTERNAL for any other error, and for an answer that is not JSON', async () => {
    const client = await serveAndConnect(async ({ operation }) => {
      if (operation === 'throw') throw new TypeError('x is not a function');
      return 1n;
    });
    await expect(client.call('throw', {})).rejects.toMatchObject({ code: 'INTERNAL', message: 'x is not a function' });
    await expect(client.call('bigint', {})).rejects.toMatchObject({ code: 'INTERNAL' });
  });

  it('brings an error whose details are not JSON without them', async () => {
    const client = await serveAndConnect(async () => {
      throw new AppError('REFUSED', 'No', { amount: 1n });
    });
    await expect(client.call('x', {})).rejects.toMatchObject({ code: 'REFUSED', message: 'No', details: {} });
  });

  it('returns a response of 40 MB, and rejects one of more than 64 MB', async () => {
    const client = await serveAndConnect(async ({ input }) => 'x'.repeat(Number(input)));
    expect(await client.call('big', 40_000_000)).toHaveLength(40_000_000);
    await expect(client.call('huge', 68_000_000)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    expect(await client.call('small', 3)).toBe('xxx');
  });

  it('that is aborted rejects with the reason and is cancelled in the engine', async () => {
    const stopped = Promise.withResolvers<void>();
    const received = Promise.withResolvers<void>();
    const client = await serveAndConnect((_, { signal }) => {
      received.resolve();
      signal.addEventListener('abort', () => stopped.resolve());
      return stopped.promise;
    });
    const controller = new AbortController();
    const call = client.call('wait', {}, { signal: controller.signal });
    await received.promise;
    controller.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    await stopped.promise;
    await expect(client.call('wait', {}, { signal: controller.signal })).rejects.toThrow('enough');
  });
});

describe('A stream', () => {
  it('returns item after item during other requests', async () => {
    const client = await serveAndConnect(countTo(5));
    const seen: unknown[] = [];
    for await (const item of client.stream('count', {})) {
      seen.push(item, await client.call('ping', {}));
    }
    expect(seen).toEqual([0, 'pong', 1, 'pong', 2, 'pong', 3, 'pong', 4, 'pong']);
  });

  it('of an operation with one result returns that one', async () => {
    const client = await serveAndConnect(async () => 'only');
    expect(await all(client.stream('x', {}))).toEqual(['only']);
  });

  it('ends with the error that the engine threw, after the earlier items', async () => {
    const client = await serveAndConnect(async function* () {
      yield 'one';
      throw new AppError('RUN_UNKNOWN', 'Gone', { run: 'r' });
    });
    const seen: unknown[] = [];
    const reading = async () => {
      for await (const item of client.stream('x', {})) seen.push(item);
    };
    await expect(reading()).rejects.toMatchObject({ code: 'RUN_UNKNOWN', details: { run: 'r' } });
    expect(seen).toEqual(['one']);
  });

  it('that is left early is cancelled in the engine, and its source is closed', async () => {
    const closed = Promise.withResolvers<boolean>();
    const client = await serveAndConnect(async function* (_, { signal }) {
      try {
        yield 'first';
        await once(signal, 'abort');
      } finally {
        closed.resolve(signal.aborted);
      }
    });
    for await (const item of client.stream('follow', {})) {
      expect(item).toBe('first');
      break;
    }
    expect(await closed.promise).toBe(true);
  });

  it('that is aborted while it waits rejects with the reason', async () => {
    const client = await serveAndConnect(async function* (_, { signal }) {
      yield 'first';
      await once(signal, 'abort');
    });
    const controller = new AbortController();
    const reading = async () => {
      for await (const _ of client.stream('follow', {}, { signal: controller.signal }))
        controller.abort(new Error('enough'));
    };
    await expect(reading()).rejects.toThrow('enough');
  });

  it('is produced no faster than its reader consumes it, and loses nothing', async () => {
    let made = 0;
    async function* flood() {
      for (; made < 400; made++) yield { made, text: 'x'.repeat(20_000) };
    }
    const client = await serveAndConnect(({ operation }) =>
      operation === 'flood' ? flood() : Promise.resolve('pong'),
    );
    const iterator = client.stream('flood', {})[Symbol.asyncIterator]();
    await iterator.next();
    for (let n = 0; n < 50; n++) await client.call('ping', {});
    expect(made).toBeLessThan(120);
    let last: unknown;
    let count = 1;
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
      last = next.value;
      count += 1;
    }
    expect(count).toBe(400);
    expect(last).toMatchObject({ made: 399 });
  });
});

function countTo(limit: number): Handle {
  return ({ operation }) => {
    if (operation === 'ping') return Promise.resolve('pong');
    return (async function* () {
      for (let n = 0; n < limit; n++) yield n;
    })();
  };
}
