import { describe, expect, it } from 'vitest';
import { openPullRequest } from '../../src/engine/pull-requests/land-as-pull-request.ts';
import type { Answer } from '../../src/forges/forge.ts';
import { realWorld } from '../../src/world.ts';
import type { StandIn } from '../forges/stand-ins.ts';

const PULL_REQUEST = { head: 'mh/r0000001', base: 'main', title: 'Add a cart', body: 'What was asked', draft: false };
const { signal } = new AbortController();
/** A world in which nobody waits. */
const world = { ...realWorld, sleep: async () => {} };

/** What every forge must do, whichever it is, also when it answers badly. */
export function forgeContract(name: string, open: () => Promise<StandIn>): void {
  describe.concurrent(`the forge ${name}`, () => {
    it('finds what it made by the branch, lists it and shows it', async () => {
      await using server = await open();
      const forge = server.forge();
      expect(value(await forge.find(PULL_REQUEST.head, signal))).toBeUndefined();
      const made = value(await forge.create(PULL_REQUEST, signal));
      expect(made).toMatchObject({ number: 1, title: 'Add a cart', state: 'open', draft: false, fork: false });
      expect(value(await forge.find(PULL_REQUEST.head, signal))?.url).toBe(made.url);
      expect(value(await forge.find('another', signal))).toBeUndefined();
      expect(value(await forge.list(signal))).toHaveLength(1);
      expect(value(await forge.view(1, signal))).toMatchObject({ body: 'What was asked', base: 'main' });
    });

    it('makes a draft ready when it is wanted, and never turns one back into a draft', async () => {
      await using server = await open();
      const forge = server.forge();
      await forge.create({ ...PULL_REQUEST, draft: true }, signal);
      expect(value(await forge.view(1, signal)).draft).toBe(true);
      value(await forge.update(1, { body: 'New', draft: false }, signal));
      expect(value(await forge.view(1, signal))).toMatchObject({ body: 'New', draft: false });
      value(await forge.update(1, { body: 'Newer', draft: true }, signal));
      expect(value(await forge.view(1, signal))).toMatchObject({ body: 'Newer', draft: false });
    });

    it('approves and merges, and tells so when asked', async () => {
      await using server = await open();
      const forge = server.forge();
      const pull = value(await forge.create(PULL_REQUEST, signal));
      expect(value(await forge.isApproved(pull, signal))).toBe(false);
      value(await forge.approve(pull, signal));
      expect(value(await forge.isApproved(pull, signal))).toBe(true);
      value(await forge.merge(pull, signal));
      expect(value(await forge.view(1, signal)).state).toBe('merged');
    });

    it('leaves a comment once for each key', async () => {
      await using server = await open();
      const forge = server.forge();
      await forge.create(PULL_REQUEST, signal);
      for (let time = 0; time < 2; time += 1)
        value(await forge.comment(1, { key: 'run r1', body: 'Reviewed in run r1' }, signal));
      expect(server.state().pulls[0]?.comments).toEqual(['Reviewed in run r1']);
    });

    it('tells of checks that are missing, running, red and green', async () => {
      await using server = await open();
      const forge = server.forge();
      const pull = value(await forge.create(PULL_REQUEST, signal));
      const ciState = async (...states: ('pass' | 'fail' | 'pending')[]) => {
        server.change((state) => {
          state.checks = states.map((state, index) => ({ name: `check ${index}`, state }));
        });
        return value(await forge.checks(pull, signal)).state;
      };
      expect(await ciState()).toBe('none');
      expect(await ciState('pass', 'pending')).toBe('pending');
      expect(await ciState('pending', 'fail')).toBe('fail');
      expect(await ciState('pass', 'pass')).toBe('pass');
    });

    it('lists the jobs of the CI of a branch, and reads what they printed', async () => {
      await using server = await open();
      const forge = server.forge();
      expect(value(await forge.jobs({ branch: 'main' }, signal))).toEqual([]);
      server.change((state) => {
        state.checks = [
          { name: 'lint', state: 'pass' },
          { name: 'test', state: 'fail', log: '{"json": true}\nexpected 1, got 2' },
        ];
      });
      const jobs = value(await forge.jobs({ branch: 'main' }, signal));
      expect(jobs.map(({ name, state }) => ({ name, state }))).toEqual([
        { name: 'lint', state: 'pass' },
        { name: 'test', state: 'fail' },
      ]);
      const logs = await Promise.all(jobs.map(async (job) => value(await forge.jobLog(job, signal))));
      expect(logs).toEqual(['', '{"json": true}\nexpected 1, got 2']);
    });

    it.each([
      ['an expired login', 'expired', 'auth'],
      ['too many requests', '429', 'rate-limit'],
      ['a server error', '500', 'unavailable'],
      ['an answer of unknown form', 'nonsense', 'unreadable'],
    ] as const)('says what is wrong and what to do about %s', async (_, kind, expected) => {
      await using server = await open();
      server.change((state) => state.faults.push({ on: 'find', kind, times: 1, retryAfter: 7 }));
      const answer = await server.forge().find(PULL_REQUEST.head, signal);
      expect(answer).toMatchObject({ ok: false, failure: { kind: expected, nextStep: expect.stringMatching(/\w/) } });
      if (!answer.ok && kind === '429') expect(answer.failure.retryAfterMs).toBe(7_000);
    });

    it('says that a repository which is not there is missing', async () => {
      await using server = await open();
      expect(await server.forge().view(99, signal)).toMatchObject({ ok: false, failure: { kind: 'missing' } });
    });

    it('stops waiting when its signal aborts', async () => {
      await using server = await open();
      server.change((state) => state.faults.push({ on: 'list', kind: 'hang', times: 1 }));
      const controller = new AbortController();
      const listing = server.forge().list(controller.signal);
      while (server.state().calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
      controller.abort();
      await expect(listing).rejects.toThrow();
    });

    it.each([
      ['a server error before it was made', '500'],
      ['a server error after it was made', 'lost'],
      ['too many requests', '429'],
      ['no answer after it was made', 'hang'],
      ['nonsense after it was made', 'nonsense'],
    ] as const)('has exactly one pull request after %s', async (_, kind) => {
      await using server = await open();
      server.change((state) => state.faults.push({ on: 'create', kind, times: 1 }));
      const opened = await openPullRequest({ forge: server.forge(2_000), pullRequest: PULL_REQUEST, world }, signal);
      expect(value(opened).number).toBe(1);
      expect(server.state().pulls).toHaveLength(1);
    });

    it.each([
      ['the login has expired', { kind: 'expired', times: 9 }, 'auth'],
      ['it wants an hour of rest', { kind: '429', times: 9, retryAfter: 3600 }, 'rate-limit'],
      ['it stays broken', { kind: '500', times: 99 }, 'unavailable'],
    ] as const)('gives up with a reason, and without a pull request, when %s', async (_, fault, expected) => {
      await using server = await open();
      server.change((state) => state.faults.push({ on: 'create', ...fault }));
      const opened = await openPullRequest({ forge: server.forge(), pullRequest: PULL_REQUEST, world }, signal);
      expect(opened).toMatchObject({ ok: false, failure: { kind: expected } });
      expect(server.state().pulls).toHaveLength(0);
    });

    it('brings its own part of the text up to date, and leaves what people wrote', async () => {
      await using server = await open();
      const forge = server.forge();
      const ask = (body: string) => openPullRequest({ forge, pullRequest: { ...PULL_REQUEST, body }, world }, signal);
      value(await ask('First'));
      server.change(({ pulls: [pull] }) => {
        if (pull !== undefined) Object.assign(pull, { body: `Hello.\n\n${pull.body}`, title: 'My title' });
      });
      value(await ask('Second'));
      const [pull] = server.state().pulls;
      expect([pull?.title, pull?.body.startsWith('Hello.'), pull?.body.includes('Second')]).toEqual([
        'My title',
        true,
        true,
      ]);
      expect(pull?.body).not.toContain('First');
      expect(server.state().pulls).toHaveLength(1);
    });
  });
}

function value<T>(answer: Answer<T>): T {
  if (answer.ok) return answer.value;
  throw new Error(`${answer.failure.kind}: ${answer.failure.message}`);
}
