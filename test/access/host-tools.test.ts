import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { HostTools } from '../../src/access/host-tools.ts';
import { ToolClient } from '../../src/access/socket/tool-client.ts';
import { AttemptWaits } from '../../src/engine/attempt/attempt-tools.ts';
import { ForwardedCalls } from '../../src/engine/hosts/forwarded-calls.ts';
import { realWorld } from '../../src/world.ts';

const ID = 'abcd1234-1-1';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mh-host-tools-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

it('lets an attempt give up its slot while a call waits, and not during a short one', async () => {
  const calls = new ForwardedCalls((error) => new Error(error.message));
  const waits = new AttemptWaits(() => {});
  const changes: boolean[] = [];
  waits.onChange({ run: 'abcd1234', task: 'job/1' }, (isWaiting) => changes.push(isWaiting));
  const tools = new HostTools({ root: folder, world: realWorld, calls, waits: () => waits });
  const owner = { id: ID, run: 'abcd1234', task: 'job/1', attempt: 1, access: 'write' as const, folder };
  await using opened = await tools.open(owner);
  await using client = new ToolClient(opened.file);
  const { signal } = new AbortController();

  calls.connect(async (order, body) => calls.answer(order, { ...(body as { number: number }), value: 'short' }));
  expect(await client.call('read_note', {}, signal)).toBe('short');
  expect(changes).toEqual([]);

  const sent = Promise.withResolvers<number>();
  calls.connect(async (_order, body) => sent.resolve((body as { number: number }).number));
  const answer = client.call('wait_for_tasks', {}, signal);
  await expect.poll(() => [...waits.tasks]).toEqual(['abcd1234 job/1']);
  calls.answer(ID, { number: await sent.promise, value: 'long' });
  expect(await answer).toBe('long');
  expect(changes).toEqual([true, false]);
});
