import { appendFileSync, mkdtempSync, realpathSync, truncateSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AgentEvent, AgentReader } from '../../../src/agents/agent.ts';
import { AttemptDigest } from '../../../src/engine/attempt/attempt-digest.ts';
import { AttemptOutput } from '../../../src/engine/attempt/attempt-output.ts';
import { Watchdog } from '../../../src/engine/attempt/watchdog.ts';
import { HealthThresholds } from '../../../src/schema/config/health.ts';
import { TaskLimits } from '../../../src/schema/task.ts';
import { openSqliteStore } from '../../../src/store/sqlite/open.ts';
import { realWorld } from '../../../src/world.ts';

/** A line `result: x` is the result, every other is text. */
const reader: AgentReader = {
  line: (_, text): AgentEvent[] => {
    const result = /^result: (.*)$/.exec(text)?.[1];
    return [result === undefined ? { type: 'text', text } : { type: 'result', isError: false, text: result }];
  },
  usage: () => ({ kind: 'none' }),
  end: () => ({ usage: { kind: 'none' }, text: '' }),
};

async function openScratch() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'mh-output-')));
  const store = await openSqliteStore({ file: join(root, 'db'), world: realWorld });
  for (const file of ['stdout', 'stderr']) writeFileSync(join(root, file), '');
  const reading = new AbortController();
  return {
    stdout: join(root, 'stdout'),
    follow: (limits: Partial<TaskLimits>, into = store) =>
      new AttemptOutput({
        attempt: 'a',
        folder: root,
        reader,
        store: into,
        world: realWorld,
        redact: (text) => text,
        digest: new AttemptDigest(),
        limits: TaskLimits.parse(limits),
        onRead: () => {},
        signal: reading.signal,
      }),
    store,
    rows: () => store.transcript({ attempt: 'a', limit: 1000 }).map(({ kind, text }) => `${kind}: ${text}`),
    async [Symbol.asyncDispose]() {
      reading.abort();
      await store[Symbol.asyncDispose]();
      await rm(root, { recursive: true, force: true });
    },
  };
}

describe('the output of an attempt', () => {
  it('is kept up to the limit where it is truncated, with its final message and the number of missing bytes', async () => {
    await using scratch = await openScratch();
    const output = scratch.follow({ outputBytes: 10, output: { onMax: 'truncate' } });
    appendFileSync(scratch.stdout, 'one\ntwo\nthree\nfour\nresult: done\nafterthought\n');
    await output.finish();
    expect(scratch.rows()).toEqual(['text: one', 'text: two', 'result: done', 'truncated: 33 bytes are not shown']);
  });

  it('is reduced to its final message if only that is kept', async () => {
    await using scratch = await openScratch();
    const output = scratch.follow({ output: { finalOnly: true } });
    appendFileSync(scratch.stdout, 'one\ntwo\nresult: done\n');
    await output.finish();
    expect(scratch.rows()).toEqual(['result: done', 'truncated: 6 bytes are not shown']);
  });

  it('is kept as its last line by a program that names no result', async () => {
    await using scratch = await openScratch();
    const output = scratch.follow({ output: { finalOnly: true } });
    appendFileSync(scratch.stdout, 'one\ntwo\nthree\n');
    await output.finish();
    expect(scratch.rows()).toEqual(['text: three', 'truncated: 11 bytes are not shown']);
  });

  it('loses no line to the mark of a file that shrank', async () => {
    await using scratch = await openScratch();
    writeFileSync(scratch.stdout, 'one\ntwo\n');
    const output = scratch.follow({});
    while (scratch.rows().length < 2) await new Promise((resolve) => setImmediate(resolve));
    truncateSync(scratch.stdout, 0);
    appendFileSync(scratch.stdout, 'new\n');
    await output.finish();
    expect(scratch.rows()).toEqual(['text: one', 'text: two', 'truncated: 4 bytes are not shown', 'text: new']);
  });

  it('is stored once, with its final message and the omitted size, when it is read again from its beginning', async () => {
    await using scratch = await openScratch();
    const limits = { outputBytes: 10, output: { onMax: 'truncate' as const } };
    appendFileSync(scratch.stdout, 'one\ntwo\nthree\nresult: done\nunfinished');
    await scratch.follow(limits).finish();
    const rows = scratch.rows();
    expect(rows).toEqual(['text: one', 'text: two', 'result: done', 'truncated: 27 bytes are not shown']);
    await scratch.follow(limits).finish();
    expect(scratch.rows()).toEqual(rows);
    appendFileSync(scratch.stdout, ' after all\n');
    await scratch.follow(limits).finish();
    expect(scratch.rows()).toEqual([...rows, 'truncated: 37 bytes are not shown']);
  });

  it('that is stored is not stored again at its end', async () => {
    await using scratch = await openScratch();
    let stored = 0;
    const output = scratch.follow(
      {},
      {
        ...scratch.store,
        ingest: (batch) => {
          stored += 1;
          return scratch.store.ingest(batch);
        },
      },
    );
    appendFileSync(scratch.stdout, 'one\ntwo\n');
    await output.finish();
    expect(scratch.rows()).toEqual(['text: one', 'text: two']);
    expect(stored).toBe(1);
  });

  it('that cannot be stored is reported only to the caller that waits for it', async () => {
    await using scratch = await openScratch();
    const full = { ...scratch.store, ingest: () => Promise.reject(new Error('no space left')) };
    writeFileSync(scratch.stdout, 'one\n');
    const output = scratch.follow({}, full);
    await expect(output.finish()).rejects.toThrow('no space left');
  });
});

function watch(limits: Partial<TaskLimits>) {
  const rows: string[] = [];
  const watchdog = new Watchdog({
    limits: TaskLimits.parse(limits),
    reservation: { costUsd: 0, tokens: 0, turns: 0 },
    startedAt: realWorld.now(),
    world: realWorld,
    thresholds: HealthThresholds.parse({}),
    warn: (warnings) => rows.push(...warnings.map(({ sign }) => sign)),
    stop: ({ kind }) => rows.push(kind),
  });
  watchdog.recordActivity(90, { kind: 'none' });
  watchdog.recordActivity(150, { kind: 'none' });
  watchdog.recordActivity(250, { kind: 'none' });
  watchdog.close();
  return rows;
}

describe('an attempt of a run with a deadline', () => {
  it('is stopped at the deadline, which may be moved while it runs', () => {
    let now = 1000;
    let deadline = 2000;
    const rings: (() => void)[] = [];
    const stopped: string[] = [];
    new Watchdog({
      limits: TaskLimits.parse({}),
      reservation: { costUsd: 0, tokens: 0, turns: 0 },
      startedAt: now,
      world: {
        ...realWorld,
        now: () => now,
        alarm: (_at, ring) => {
          rings.push(ring);
          return () => {};
        },
      },
      thresholds: HealthThresholds.parse({}),
      deadline: () => deadline,
      warn: () => {},
      stop: ({ kind, limit }) => stopped.push(`${kind} ${limit}`),
    });
    now = 2000;
    deadline = 3000;
    rings.shift()?.();
    expect(stopped).toEqual([]);
    now = 3000;
    rings.shift()?.();
    expect(stopped).toEqual(['timeout deadline']);
  });
});

describe('an attempt that waits in a call of a tool', () => {
  it('is neither inactive nor too long meanwhile, and both are measured again afterwards', () => {
    let now = 0;
    const rings = new Set<() => void>();
    const stopped: string[] = [];
    const watchdog = new Watchdog({
      limits: TaskLimits.parse({ inactivityMs: 1_000, runtimeMs: 5_000 }),
      reservation: { costUsd: 0, tokens: 0, turns: 0 },
      startedAt: now,
      world: {
        ...realWorld,
        now: () => now,
        alarm: (_at, ring) => {
          rings.add(ring);
          return () => rings.delete(ring);
        },
      },
      thresholds: HealthThresholds.parse({}),
      warn: () => {},
      stop: ({ kind }) => stopped.push(kind),
    });
    watchdog.setWaiting(true);
    expect(rings.size).toBe(0);
    now = 90_000;
    watchdog.setWaiting(false);
    for (const ring of [...rings]) ring();
    expect(stopped).toEqual([]);
    now += 1_000;
    for (const ring of [...rings]) ring();
    expect(stopped).toEqual(['stalled']);
  });
});

describe('an attempt with much output', () => {
  it('is warned about once, and stopped for its budget at the limit', () => {
    expect(watch({ outputBytes: 200, output: { softBytes: 100 } })).toEqual(['much-output', 'budget']);
  });

  it('continues if its output is only truncated', () => {
    expect(watch({ outputBytes: 200, output: { softBytes: 100, onMax: 'truncate' } })).toEqual(['much-output']);
  });
});
