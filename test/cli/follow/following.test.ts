import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import type { RunEnd } from '../../../src/schema/coordination/sub-run.ts';
import type { RunEvent } from '../../../src/schema/event.ts';
import { added, attemptEnded, attempted, blocked, spec, started, taskEnded } from '../../support/given.ts';
import { documentOf, open, type Script, shown, testProgram } from '../cli-run.ts';

const RUN = 'r0000001';
const spend = { costUsd: 0, tokens: 0, turns: 0 };
const ended = (status: RunEnd): RunEvent => ({ type: 'run.ended', data: { status, reason: `it is ${status}`, spend } });
const planHeld: RunEvent = { type: 'run.held', data: { hold: { what: 'plan', reason: 'two tasks', files: [] } } };

/** A script in which a run has these events. */
function following(events: RunEvent[], more: Script = {}): Script {
  const all = shown(events);
  return {
    cwd: tmpdir(),
    streams: { 'watch-run': open(all) },
    ...more,
    answers: {
      'start-run': { run: RUN, notes: [] },
      'resume-runs': { runs: [RUN] },
      'show-run': documentOf(all),
      ...more.answers,
    },
  };
}

describe('starting a run', () => {
  it('prints the notes about it first', async () => {
    const note = 'Your 2 uncommitted changes are not part of this run.';
    const answers = { 'start-run': { run: RUN, notes: [note] } };
    for (const command of ['do', 'job']) {
      const { stderr } = await testProgram(following([started(), ended('done')], { answers })).run(command, 'x');
      expect(stderr.split('\n')[0]).toBe(`note: ${note}`);
    }
  });
});

describe('following a run', () => {
  const OUTCOMES: { title: string; events: RunEvent[]; code: number }[] = [
    { title: 'done', events: [started(), ended('done')], code: 0 },
    { title: 'failed', events: [started(), ended('failed')], code: 1 },
    { title: 'cancelled', events: [started(), ended('cancelled')], code: 1 },
    { title: 'unverified', events: [started(), ended('unverified')], code: 4 },
    { title: 'held', events: [started(), planHeld], code: 4 },
    {
      title: 'blocked',
      events: [started(), added(spec('a')), attempted('a'), attemptEnded('a'), blocked('a')],
      code: 4,
    },
  ];
  for (const { title, events, code } of OUTCOMES) {
    it(`exits with ${code} when the run is ${title}`, async () => {
      const result = await testProgram(following(events)).run('do', 'x');
      expect(result.code).toBe(code);
      expect(result.stderr).toMatch(new RegExp(`^. ${title} {2}A run`, 'm'));
      expect(result.stdout).toBe('');
    });
  }

  it('exits with 0 for a read-only job, and prints its result', async () => {
    const events = [
      started(),
      added(spec('job/1', { access: 'read' })),
      attempted('job/1'),
      attemptEnded('job/1', 1, { summary: 'It is in \u001b[2Jcart.mjs' }),
      taskEnded('job/1', 'done'),
      ended('unverified'),
    ];
    expect(await testProgram(following(events)).run('job', 'Where?')).toMatchObject({
      code: 0,
      stdout: 'It is in cart.mjs\n',
    });
  });

  it('does not stop where the run was settled earlier and continued', async () => {
    const events = [started(), planHeld, { type: 'run.approved', data: {} } as const, ended('done')];
    const { code, stderr } = await testProgram(following(events)).run('wait');
    expect(code).toBe(0);
    expect(stderr).toContain('it is done');
  });

  it('prints only new events as plain lines', async () => {
    const past = shown([started(), added(spec('old'))], 1_000);
    const now = shown([attempted('old'), attemptEnded('old'), taskEnded('old', 'done'), ended('done')]);
    const all = [...past, ...now];
    const script: Script = {
      cwd: tmpdir(),
      streams: { 'watch-run': open(all) },
      answers: { 'resume-runs': { runs: [RUN] }, 'show-run': documentOf(all) },
    };
    const { stderr } = await testProgram(script).run('resume', RUN);
    expect(stderr).toContain('old  attempt 1 by one: a test');
    expect(stderr).not.toContain('added');
  });

  it('becomes the engine when the engine of the run has ended', async () => {
    const events = [started(), added(spec('a')), taskEnded('a', 'done'), ended('done')];
    const all = shown(events);
    const answers: Script['answers'] = { 'show-run': documentOf(all.slice(0, 2)) };
    let watched = 0;
    const script: Script = {
      ...following(events, { engine: 'other', answers }),
      streams: {
        'watch-run': async function* () {
          watched += 1;
          if (watched === 1) return yield* all.slice(0, 2);
          script.answers = { ...script.answers, 'show-run': documentOf(all) };
          yield* all.slice(2);
        },
      },
    };
    const { code, stderr, calls } = await testProgram(script).run('do', 'x');
    expect(stderr).toContain('The engine has ended; this terminal continues as the engine.');
    expect(calls).toContainEqual({ name: 'resume-runs', input: { dir: tmpdir(), run: RUN } });
    expect(code).toBe(0);
  });

  it('fails while waiting for a run whose engine has ended', async () => {
    const events = [started(), added(spec('a'))];
    const script = following(events, {
      engine: 'other',
      streams: {
        'watch-run': async function* () {
          yield* shown(events);
        },
      },
    });
    const { code, stderr } = await testProgram(script).run('wait');
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /engine of run r0000001 has ended\nhint: No work is lost\. Continue with: manyhands resume\n/,
    );
  });

  it('follows every resumed run and exits with the worst code', async () => {
    const events = [started(), ended('failed')];
    const script = following(events, { answers: { 'resume-runs': { runs: [RUN, RUN] } } });
    const { code, stdout } = await testProgram(script).run('resume', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toHaveLength(2);
  });

  it('prints that there is nothing to resume', async () => {
    const script = following([started()], { answers: { 'resume-runs': { runs: [] } } });
    expect(await testProgram(script).run('resume')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('nothing to resume'),
    });
  });

  it('refuses to wait for a run that no engine is running', async () => {
    const events = [started(), added(spec('a'))];
    const interrupted = { ...documentOf(shown(events)), carried: false };
    const script = following(events, { engine: 'other', answers: { 'show-run': interrupted } });
    const { code, stderr } = await testProgram(script).run('wait');
    expect(code).toBe(4);
    expect(stderr).toContain(`manyhands resume ${RUN}`);
  });
});

describe('Ctrl-C', () => {
  const running = [started(), added(spec('a')), attempted('a')];

  /** A program that receives these signals once it follows the run. */
  function interrupted(signals: ('SIGINT' | 'SIGTERM')[], more: Script = {}) {
    const calls: string[] = [];
    const drained = Promise.withResolvers<void>();
    const script = following(running, {
      drain: async () => {
        calls.push('drain');
        if (signals.length === 1) drained.resolve();
        await drained.promise;
      },
      stop: async () => {
        calls.push('stop');
        drained.resolve();
      },
      ...more,
      streams: {
        'watch-run': async function* (signal) {
          yield* shown(running);
          for (const name of signals) program.signal(name);
          if (!signal.aborted)
            await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        },
      },
    });
    const program = testProgram(script);
    return { program, calls };
  }

  it('once lets running attempts end, and prints what it waits for and how to continue', async () => {
    const { program, calls } = interrupted(['SIGINT']);
    const { code, stderr } = await program.run('do', 'x');
    expect({ code, calls }).toEqual({ code: 130, calls: ['drain'] });
    expect(stderr).toContain('waiting for a to end. Press Ctrl-C again to stop immediately.');
    expect(stderr).toContain(`manyhands resume ${RUN}`);
  });

  it('twice stops them', async () => {
    const { program, calls } = interrupted(['SIGINT', 'SIGINT', 'SIGINT']);
    const { code, stderr } = await program.run('do', 'x');
    expect({ code, calls }).toEqual({ code: 130, calls: ['drain', 'stop'] });
    expect(stderr).toMatch(/Stopped; the work so far is saved\. Continue with: manyhands resume r0000001/);
  });

  it('as SIGTERM stops immediately', async () => {
    const { program, calls } = interrupted(['SIGTERM']);
    expect((await program.run('do', 'x')).code).toBe(130);
    expect(calls).toEqual(['stop']);
  });

  it('is not needed when the engine is stopped: it prints so and how to continue', async () => {
    const ending = new AbortController();
    const calls: string[] = [];
    const script = following(running, {
      ending: ending.signal,
      leave: async () => void calls.push('leave'),
      streams: {
        'watch-run': async function* (signal) {
          yield* shown(running);
          ending.abort();
          if (!signal.aborted)
            await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        },
      },
    });
    const { code, stderr } = await testProgram(script).run('do', 'x');
    expect({ code, calls }).toEqual({ code: 130, calls: ['leave'] });
    expect(stderr).toContain(`The engine has ended; no work is lost. Continue with: manyhands resume ${RUN}`);
  });

  it('only stops watching when another process is the engine', async () => {
    const { program, calls } = interrupted(['SIGINT'], { engine: 'other' });
    const { code, stderr } = await program.run('wait', RUN);
    expect({ code, calls }).toEqual({ code: 130, calls: [] });
    expect(stderr).toContain('Stopped watching; run r0000001 continues in another process');
  });

  it('reports a failure to stop', async () => {
    const { program } = interrupted(['SIGTERM'], {
      stop: async () => {
        throw new Error('cannot');
      },
    });
    expect(await program.run('do', 'x')).toMatchObject({ code: 70, stderr: expect.stringContaining('cannot') });
  });
});

describe('--detach', () => {
  const none: Script = {
    cwd: tmpdir(),
    engine: 'none',
    answers: { 'list-runs': [], 'start-run': { run: RUN, notes: [] } },
  };

  it('starts the same command in the background and prints the run', async () => {
    const { code, stdout, detached } = await testProgram({ ...none, announced: `{"runs":["${RUN}"]}` }).run(
      'do',
      '--detach',
      'x',
      '--',
      '--detach',
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${RUN}\n` });
    expect(detached).toEqual([['do', 'x', '--background', '--', '--detach']]);
  });

  it('gives the work to a running engine and starts no process', async () => {
    const { stdout, detached, calls } = await testProgram({ ...none, engine: 'other' }).run(
      'do',
      'x',
      '--detach',
      '--json',
    );
    expect(JSON.parse(stdout)).toEqual({ run: RUN });
    expect(detached).toEqual([]);
    expect(calls.map(({ name }) => name)).toEqual(['list-runs', 'start-run']);
  });

  it('fails with the error of the background process', async () => {
    const announced = '{"error":{"code":"NOT_A_REPOSITORY","message":"no repository","details":{}}}';
    const { code, stderr } = await testProgram({ ...none, announced }).run('do', 'x', '--detach');
    expect(code).toBe(3);
    expect(stderr).toMatch(/error: no repository\nhint: Run the command inside a git repository/);
  });

  it('fails with what to do when the background process is killed before it reports a run', async () => {
    const { code, stderr } = await testProgram(none).run('do', 'x', '--detach');
    expect(code).toBe(3);
    expect(stderr).toMatch(/ended before it reported a run; manyhands ls shows whether there is one/);
    expect(stderr).toContain('manyhands resume');
  });

  it('in the background announces the run as soon as it is recorded', async () => {
    const script = following([started(), ended('done')]);
    const { announcements } = await testProgram(script).run('do', 'x', '--background');
    expect(announcements).toEqual([`{"runs":["${RUN}"]}`]);
  });
});
