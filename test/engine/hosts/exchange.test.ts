import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Exchange } from '../../../src/engine/hosts/exchange.ts';
import { Activities } from '../../../src/engine/loop/activities.ts';
import type { ActiveRun, EngineContext } from '../../../src/engine/loop/context.ts';
import { openBareMirror } from '../../../src/git/push/transfer.ts';
import { realWorld } from '../../../src/world.ts';

let folder: string;
let url: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mh-exchange-'));
  url = join(folder, 'hosts.git');
  execFileSync('git', ['init', '--quiet', '--bare', url]);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('does not keep a run from being cancelled while the push of another one hangs', async () => {
  const entered = join(folder, 'entered');
  writeFileSync(join(url, 'hooks', 'pre-receive'), `#!/bin/sh\ntouch ${entered}\nexec sleep 60\n`, { mode: 0o755 });
  const { ctx, run, commits } = await makeRun();
  const exchange = new Exchange();
  const [first, second] = [new AbortController(), new AbortController()];
  const sharing = { tasks: [], url, commits };
  const hanging = exchange.push(ctx, run, { ...sharing, signal: first.signal });
  await expect.poll(() => existsSync(entered)).toBe(true);
  const waiting = exchange.push(ctx, run, { ...sharing, signal: second.signal });
  second.abort();
  await expect(waiting).rejects.toThrow(/abort/i);
  first.abort();
  await expect(hanging).rejects.toThrow(/abort/i);
});

/** A run as far as its commits are pushed. */
async function makeRun(): Promise<{ ctx: EngineContext; run: ActiveRun; commits: string[] }> {
  const mirror = await openBareMirror(join(folder, 'mirror.git'), 'sha1');
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', mirror.dir, '-c', 'user.name=Ann', '-c', 'user.email=a@example.org', ...args], {
      encoding: 'utf8',
      input: '',
    }).trim();
  const commits = [git('commit-tree', git('mktree'), '-m', 'One')];
  const ctx = { world: realWorld, activities: new Activities(realWorld), home: { exchange: '' } };
  const run = { id: 'abcd1234', project: { mirror } };
  // Only these parts of a run and its engine are used here.
  return { ctx: ctx as unknown as EngineContext, run: run as unknown as ActiveRun, commits };
}
