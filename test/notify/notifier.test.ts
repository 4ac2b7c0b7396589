import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import type { Caller } from '../../src/access/caller.ts';
import { loadConfig } from '../../src/config/load.ts';
import { deliver, deliveryOf } from '../../src/notify/deliver.ts';
import { messagesOf } from '../../src/notify/messages.ts';
import { notifyUser } from '../../src/notify/notifier.ts';
import { NotifyTarget } from '../../src/schema/config/notify.ts';
import type { RunOverview } from '../../src/schema/overview.ts';
import { realWorld } from '../../src/world.ts';
import { write } from '../git/sandbox.ts';

const folder = mkdtempSync(join(tmpdir(), 'mh-notify-'));
afterAll(() => rmSync(folder, { recursive: true }));

// Only these fields are read.
const RUN = {
  run: 'k3v9x2ab',
  title: 'Add prices',
  hidden: false,
  status: 'held',
  endedAt: null,
  failure: null,
  reason: null,
  attention: [
    {
      task: 'implement/1',
      what: 'held',
      since: '2026-11-17T10:00:00.000Z',
      reason: 'it uses sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789',
    },
  ],
} as unknown as RunOverview;

describe('a message', () => {
  it('has a key of what happened, and no secret in its text', () => {
    const [message, more] = messagesOf(RUN);
    expect(more).toBeUndefined();
    expect(message?.key).toBe('needs-you k3v9x2ab implement/1 held  2026-11-17T10:00:00.000Z');
    expect(message?.text).not.toContain('abcdefghijklmnop');
    expect(messagesOf({ ...RUN, hidden: true }), 'an open run').toHaveLength(1);
    expect(messagesOf({ ...RUN, hidden: true, endedAt: '2026-11-17T10:00:00.000Z' })).toEqual([]);
    const failure = {
      task: null,
      title: null,
      reason: 'npm test failed',
      command: null,
      error: 'Error: no',
      lines: [],
    };
    const ended = {
      ...RUN,
      attention: [],
      status: 'failed',
      endedAt: '2026-11-17T11:00:00.000Z',
      failure,
    } as RunOverview;
    expect(messagesOf(ended)).toMatchObject([
      { reason: 'failed', title: 'Failed: Add prices', text: 'npm test failed\nError: no' },
    ]);
  });

  it('has the form that each receiver expects, with its key, and mentions nobody', () => {
    const [message] = messagesOf({ ...RUN, title: 'Größe <!channel> @everyone' });
    if (message === undefined) throw new Error('no message');
    const to = (kind: NotifyTarget['kind']) =>
      deliveryOf(
        NotifyTarget.parse({ kind, url: 'https://x.example/t', token: 'secret' }),
        message,
        'http://127.0.0.1:1',
      );
    for (const kind of ['ntfy', 'slack', 'discord', 'webhook'] as const)
      expect(decodeURIComponent(to(kind).headers['idempotency-key'] ?? '')).toBe(message.key);
    expect(to('ntfy').headers.title).toMatch(/^=\?UTF-8\?B\?/);
    expect(to('ntfy').headers.authorization).toBe('Bearer secret');
    expect(to('slack').body).toContain('&lt;!channel&gt;');
    expect(JSON.parse(to('discord').body).allowed_mentions).toEqual({ parse: [] });
    const disguised = { ...message, title: 'Held', text: '[approve here](https://evil.example)' };
    const target = NotifyTarget.parse({ kind: 'discord', url: 'https://x.example/t' });
    // Without an address of the page there is no link, and what looks like one to another place is not one.
    expect(JSON.parse(deliveryOf(target, disguised, '').body).content).toBe(
      '**Held**\n\\[approve here\\](https://evil.example)',
    );
    expect(JSON.parse(to('webhook').body)).toMatchObject({
      key: message.key,
      run: 'k3v9x2ab',
      url: expect.stringContaining('/tasks/implement%2F1'),
    });
  });
});

describe('the page of a message', () => {
  const pathOf = (item: object) =>
    messagesOf({ ...RUN, attention: [{ ...RUN.attention[0], ...item }] } as RunOverview)[0]?.path;

  it('is the one of the decision: the diff of held work, the plan, and the page of the task that asks', () => {
    const task = '/runs/k3v9x2ab/tasks/implement%2F1';
    expect(pathOf({})).toBe(`${task}?view=diff`);
    expect(pathOf({ what: 'question', question: 'q1-1' })).toBe(task);
    expect(pathOf({ what: 'held', task: null })).toBe('/runs/k3v9x2ab');
    expect(pathOf({ what: 'plan', task: null })).toBe('/runs/k3v9x2ab?view=plan');
    const options = [{ id: 'a', label: 'A' }];
    expect(pathOf({ what: 'plan', task: null, options })).toBe('/runs/k3v9x2ab');
  });
});

describe('the receivers', () => {
  it('are those of the person alone: a project cannot name one, and a run records none', async () => {
    const env = { HOME: folder, XDG_CONFIG_HOME: join(folder, 'config') };
    write(join(folder, 'config', 'manyhands'), {
      'config.yaml': 'notify:\n  - kind: ntfy\n    url: https://ntfy.example/mine\n',
    });
    write(join(folder, 'project', '.manyhands'), {
      'config.yaml': 'notify:\n  - kind: webhook\n    url: https://evil.example/\n',
    });
    expect((await loadConfig({ env })).notify.map(({ url }) => url)).toEqual(['https://ntfy.example/mine']);
    expect((await loadConfig({ env, dir: join(folder, 'project') })).notify).toEqual([]);
  });

  it('get each message at least once: again after an error, not again after a restart, and after a crash with the same key', async () => {
    const received: { key: string; body: string }[] = [];
    let answers = [500, 200];
    const server = createServer(async (incoming, outgoing) => {
      received.push({ key: String(incoming.headers['idempotency-key']), body: await text(incoming) });
      outgoing.writeHead(answers.shift() ?? 200).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const target = NotifyTarget.parse({ kind: 'webhook', url: `http://127.0.0.1:${port}/` });
    const file = join(folder, 'notified.json');
    const follow = () => {
      const over = new AbortController();
      const world = { ...realWorld, sleep: async () => realWorld.sleep(1, over.signal) };
      const { caller, isRead } = callerOf([RUN], over.signal);
      const options = { caller, world, file, base: '', targets: async () => [target] };
      const ended = notifyUser(options, over.signal);
      const stopped = async () => {
        over.abort();
        await ended;
      };
      return { isRead, stopped };
    };
    const first = follow();
    await expect.poll(() => received.length).toBe(2);
    await first.stopped();
    expect(new Set(received.map(({ key }) => key)).size).toBe(1);

    const second = follow();
    await second.isRead;
    await second.stopped();
    expect(received).toHaveLength(2);

    rmSync(file);
    const third = follow();
    await expect.poll(() => received.length).toBe(3);
    await third.stopped();
    expect(new Set(received.map(({ key }) => key)).size).toBe(1);
    answers = [404];
    expect(await deliver(target, messagesOf(RUN)[0] ?? fail(), '')).toMatchObject({ ok: false, retry: false });
    server.close();
  });
});

describe('a run that no engine is running', () => {
  const interrupted = { ...RUN, status: 'running', carried: false, version: 7, attention: [] } as RunOverview;

  /** Follows these runs one after the other, lets a minute pass, and gives the titles of what was sent. */
  async function titlesAfter(...runs: RunOverview[]): Promise<string[]> {
    const over = new AbortController();
    const alarms = new Set<() => void>();
    const alarm = (_at: number, wake: () => void) => {
      alarms.add(wake);
      return () => alarms.delete(wake);
    };
    const sent: string[] = [];
    const { caller, isRead } = callerOf(runs, over.signal);
    const ended = notifyUser(
      {
        caller,
        world: { ...realWorld, alarm },
        file: join(folder, `interrupted-${runs.length}.json`),
        base: '',
        targets: async () => [NotifyTarget.parse({ kind: 'webhook', url: 'https://x.example/' })],
        deliver: async (_target, { title }) => {
          sent.push(title);
          return { ok: true };
        },
      },
      over.signal,
    );
    await isRead;
    for (const wake of alarms) wake();
    over.abort();
    await ended;
    return sent;
  }

  it('gives a message unless it is resumed within a minute, as a server does when it starts', async () => {
    expect(await titlesAfter(interrupted)).toEqual(['Interrupted: Add prices']);
    expect(await titlesAfter(interrupted, { ...interrupted, carried: true })).toEqual([]);
  });
});

function fail(): never {
  throw new Error('no message');
}

/** A caller whose stream has these runs, and then waits. */
function callerOf(runs: readonly RunOverview[], signal: AbortSignal): { caller: Caller; isRead: Promise<void> } {
  const { promise: isRead, resolve: read } = Promise.withResolvers<void>();
  const batches = async function* () {
    yield [...runs.map((run, index) => ({ position: index, run })), { position: runs.length, ready: true }];
    read();
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  };
  // The notifier calls nothing else.
  return { caller: { batches } as unknown as Caller, isRead };
}
