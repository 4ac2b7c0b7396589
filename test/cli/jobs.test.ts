import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { exitCodeOfLanding } from '../../src/cli/exit-code.ts';
import { added, attemptEnded, attempted, spec, started, T0 } from '../support/given.ts';
import { documentOf, open, type Script, shown, testProgram } from './cli-run.ts';

const cwd = mkdtempSync(join(tmpdir(), 'mh-jobs-'));
mkdirSync(join(cwd, '.git'));
afterAll(() => rm(cwd, { recursive: true }));
const env = { HOME: cwd, MANYHANDS_HOME: join(cwd, 'data') };
const real = { isReal: true };

const ENDED = shown([
  started(),
  added(spec('job/1', { access: 'read' })),
  attempted('job/1'),
  attemptEnded('job/1'),
  { type: 'task.ended', data: { task: 'job/1', status: 'done', reason: 'answered' } },
  { type: 'run.ended', data: { status: 'done', reason: 'fine', spend: { costUsd: 0, tokens: 0, turns: 0 } } },
]);
const DOCUMENT = documentOf(ENDED);

function runWith(script: Script, ...argv: string[]) {
  const answers = { 'start-run': { run: 'r0000001', notes: [] }, 'show-run': DOCUMENT, ...script.answers };
  return testProgram({ cwd, env, streams: { 'watch-run': open(ENDED) }, ...script, answers }).run(...argv);
}

function inputOf({ calls }: { calls: { name: string; input: unknown }[] }) {
  return calls.find(({ name }) => name === 'start-run')?.input;
}

describe('a job at a time', () => {
  it('prints when it starts, how often it repeats, and that this terminal starts it', async () => {
    const ended = await runWith({}, 'job', 'Do it', '--at', '+2h', '--every', '10m', '--times', '3');
    expect(inputOf(ended)).toMatchObject({
      input: { notBefore: T0 + 7_200_000, repeat: { everyMs: 600_000, times: 3 } },
    });
    expect(ended.stderr).toContain(
      '(in 2h 0m), and again 10m 0s after each success, 3 times in total. This terminal is the engine',
    );
  });

  it('prints that a running engine starts it, or a background process', async () => {
    expect((await runWith({ engine: 'other' }, 'job', 'Do it', '--at', '+2h')).stderr).toContain(
      'The running engine starts it; this terminal only watches.',
    );
    const announced = JSON.stringify({ runs: ['r0000001'] });
    const detached = await runWith(
      { announced, answers: { 'list-runs': [] } },
      'job',
      'Do it',
      '--at',
      '+2h',
      '--detach',
    );
    expect([detached.stdout, detached.stderr]).toEqual([
      'r0000001\n',
      expect.stringContaining('A background process is the engine and starts it.'),
    ]);
  });

  it.each([
    [['--at', 'yesterday'], /is not a time\. Use 07:30/],
    [['--every', '0m'], /Use a duration from 1s to 366d/],
    [['--every', '500d'], /Use a duration from 1s to 366d/],
    [['--times', '3'], /--times requires --every/],
    [['--context', 'no-sign'], /neither key=value nor @file\.json/],
    [['--context', '=x'], /neither key=value/],
    [['--context', 'a\nb=x'], /--context "a\\nb": a name of at most 100/],
    [['--context', '@none.json'], /context file .*none\.json does not exist/],
    [['--template', 'bugfx'], /Did you mean bugfix\?/],
    [['--template', '../x'], /is no name/],
  ])('is rejected before anything is started: %j', async (flags, message) => {
    const { code, stderr, calls } = await runWith({}, 'job', 'Do it', ...flags);
    expect([code === 2 || code === 3, calls]).toEqual([true, []]);
    expect(stderr).toMatch(message);
  });
});

describe('the prompt of a job', () => {
  it('has context from words and files: the last value of a key, strings verbatim', async () => {
    writeFileSync(join(cwd, 'facts.json'), JSON.stringify({ ticket: 'A-1', size: 3, list: [1], log: 'a\n {{b}}' }));
    const ended = await runWith({}, 'job', 'Do it', '--context', '@facts.json', '--context', 'ticket= =A=2 ');
    expect(inputOf(ended)).toMatchObject({
      input: { context: { ticket: ' =A=2 ', size: '3', list: '[1]', log: 'a\n {{b}}' } },
    });
  });

  it('is the summary of the template when no task is given', async () => {
    expect(inputOf(await runWith({}, 'job', '--template', 'repo-audit'))).toMatchObject({
      input: { template: 'repo-audit', task: expect.stringContaining('what shape this repository is in') },
    });
    const { code, stderr } = await runWith({}, 'job');
    expect([code, stderr]).toEqual([2, expect.stringContaining('The task is missing: manyhands job "<task>"')]);
  });

  it('can be printed before the job is started', async () => {
    const { stdout } = await runWith(real, 'template', 'render', 'bugfix', 'Mend {{it}}', '--context', 'a=1');
    expect(stdout).toMatch(
      /^### Guidelines\n\nFix the cause[\s\S]*### The task\n\nMend \{\{it\}\}\n\n### Context\n\na: 1\n$/,
    );
  });
});

describe('the exit code of a landing', () => {
  it('is 0 when the good tasks of a run that is done in part have landed, and not before', () => {
    const landed = { branch: 'main', commit: 'c'.repeat(40), how: 'merge', url: null };
    expect(exitCodeOfLanding({ ...DOCUMENT, status: 'partial', landed })).toBe(0);
    expect(exitCodeOfLanding({ ...DOCUMENT, status: 'partial', landed: null })).toBe(1);
    expect(exitCodeOfLanding({ ...DOCUMENT, status: 'unverified', result: undefined, landed })).toBe(4);
  });
});

describe('ls', () => {
  const filed = { collection: null, hidden: false, flag: null };
  const SUMMARY = { ...DOCUMENT, tasks: 1, done: 1, ...filed };
  const hidden = { ...SUMMARY, run: 'h0000001', hidden: true };
  const flagged = {
    ...SUMMARY,
    run: 'f0000001',
    collection: 'nightly',
    flag: { note: 'look', at: '' },
    nextAt: new Date(T0).toISOString(),
  };

  it('omits hidden runs, prints how many, and lists them with --hidden', async () => {
    const answers = { 'list-runs': [SUMMARY, hidden] };
    const plain = await runWith({ answers }, 'ls');
    expect([plain.stdout.includes('h0000001'), plain.stderr]).toEqual([
      false,
      '1 hidden run is not listed; list all with manyhands ls --hidden\n',
    ]);
    const all = await runWith({ answers }, 'ls', '--hidden');
    expect([all.stdout, all.stderr]).toEqual([expect.stringMatching(/h0000001 .* \(hidden\) A run/), '']);
    expect(JSON.parse((await runWith({ answers }, 'ls', '--json')).stdout)).toHaveLength(1);
  });

  it('shows flags, collections and the next start', async () => {
    const { stdout, calls } = await runWith(
      { answers: { 'list-runs': [flagged] } },
      'ls',
      '--collection',
      'nightly',
      '--flagged',
    );
    expect(stdout).toMatch(/nightly +⚑ look: \(scheduled for \d\d:16\) A run/);
    expect(calls[0]?.input).toMatchObject({ collection: 'nightly', flagged: true });
  });
});

describe('a batch', () => {
  const folder = join(cwd, '.manyhands', 'batches');
  const writeBatch = (text: string) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'docs.yaml'), text);
  };
  beforeEach(() => rm(folder, { recursive: true, force: true }));

  it('is stored in a file of the project, from prompts, lines and files', async () => {
    await runWith(real, 'batch', 'add', 'docs', 'One', 'Two', '--template', 'bugfix', '--parallel', '2');
    await runWith({ ...real, stdin: 'Three\n\n# not this\n' }, 'batch', 'add', 'docs', '-');
    writeFileSync(join(cwd, 'more.yaml'), 'items:\n  - { prompt: Four, title: The fourth }\n');
    await runWith(real, 'batch', 'add', 'docs', 'more.yaml', '--context', 'team=a');
    expect(JSON.parse((await runWith(real, 'batch', 'show', 'docs', '--json')).stdout)).toMatchObject({
      template: 'bugfix',
      context: { team: 'a' },
      items: [{ prompt: 'One' }, { prompt: 'Two' }, { prompt: 'Three' }, { prompt: 'Four', title: 'The fourth' }],
    });
    expect((await runWith(real, 'batch', 'ls')).stdout).toMatch(/docs +4 +4 +bugfix/);
  });

  const ITEMS = ['One', 'Two', 'Three'].map((prompt) => ({ prompt, title: null, template: 'bugfix', context: {} }));
  const SHOWN = {
    name: 'docs',
    file: 'docs.yaml',
    summary: null,
    template: 'bugfix',
    parallel: 2,
    context: {},
    items: ITEMS,
  };
  const STARTED = { batch: 'docs', start: 'docs 2/1', collection: 'docs 2', runs: [] };
  const answers = { 'show-batch': SHOWN, 'start-batch': STARTED };
  const items = (...runs: number[]) => runs.map((item) => ({ version: item, item, run: `r000000${item}` }));
  const ALL_STARTED = { version: 9, ended: 'all its items were started', complete: true };

  it('starts a batch that the engine runs, follows each item, and exits with the worst code', async () => {
    const { code, calls, stdout, stderr } = await runWith(
      {
        answers: {
          ...answers,
          'show-run': (() => {
            let shows = 0;
            return () => {
              shows += 1;
              return shows === 2 ? { ...DOCUMENT, status: 'failed' } : DOCUMENT;
            };
          })(),
        },
        streams: { 'watch-run': open(ENDED), 'watch-batch': open([...items(1, 2, 3), ALL_STARTED]) },
      },
      ...['batch', 'run', 'docs', '--check', 'npm test', '--json'],
    );
    expect(code).toBe(1);
    expect(calls.find(({ name }) => name === 'start-batch')?.input).toMatchObject({
      name: 'docs',
      from: 1,
      options: { checks: ['npm test'] },
    });
    expect(JSON.parse(stdout)).toMatchObject({
      batch: 'docs',
      collection: 'docs 2',
      items: [{ item: 1, run: 'r0000001' }, { item: 2 }, { item: 3 }],
    });
    expect(stderr).toContain('2 done, 1 failed. List the runs: manyhands collection show "docs 2"');
  });

  it('continues from an item, and prints from which one to continue after a failure', async () => {
    const failed = { version: 9, ended: 'No agent is usable here', complete: false, code: 'AGENT_MISSING' };
    const { code, calls, stderr } = await runWith(
      {
        answers: { ...answers, 'start-batch': { ...STARTED, collection: 'mine' } },
        streams: { 'watch-run': open(ENDED), 'watch-batch': open([...items(2), failed]) },
      },
      ...['batch', 'run', 'docs', '--from', '2', '--collection', 'mine', '--parallel', '1'],
    );
    expect(code).toBe(3);
    expect(calls.find(({ name }) => name === 'start-batch')?.input).toMatchObject({
      from: 2,
      parallel: 1,
      collection: 'mine',
    });
    expect(stderr).toContain('Continue with: manyhands batch run docs --from 3 --collection "mine"');
    expect((await runWith({ answers }, 'batch', 'run', 'docs', '--from', '4')).stderr).toContain(
      'The batch docs has no item 4; it has 3',
    );
  });

  it('starts nothing when one of its templates is missing', async () => {
    writeBatch('items: [One, { prompt: Two, template: none }]\n');
    const { code, stderr } = await runWith(real, 'batch', 'run', 'docs');
    expect([code, stderr]).toEqual([3, expect.stringContaining('There is no template "none"')]);
  });

  it('is resumed after it was interrupted', async () => {
    const program = testProgram({
      cwd,
      env,
      answers: { ...answers, 'show-run': { ...DOCUMENT, status: 'running' } },
      streams: {
        'watch-run': open(ENDED.slice(0, 3)),
        'watch-batch': (signal) => {
          setImmediate(() => program.signal('SIGINT'));
          return open(items(1))(signal);
        },
      },
    });
    const { code, stderr } = await program.run('batch', 'run', 'docs');
    expect(code).toBe(130);
    expect(stderr).toContain('The items from 2 were not started. Continue with: manyhands resume');
  });

  it('is continued by the engine of another process when following it is interrupted', async () => {
    const program = testProgram({
      cwd,
      env,
      engine: 'other',
      answers: { ...answers, 'show-run': { ...DOCUMENT, status: 'running' } },
      streams: {
        'watch-run': open(ENDED.slice(0, 3)),
        'watch-batch': (signal) => {
          setImmediate(() => program.signal('SIGINT'));
          return open(items(1))(signal);
        },
      },
    });
    const { code, stderr } = await program.run('batch', 'run', 'docs');
    expect([code, stderr]).toEqual([130, expect.stringContaining('The engine continues the batch with item 2.')]);
  });
});
