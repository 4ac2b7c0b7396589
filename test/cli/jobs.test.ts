import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../src/errors.ts';
import { added, attemptEnded, attempted, spec, started, T0 } from '../support/given.ts';
import { documentOf, open, type Script, shown, stage } from './cli-run.ts';

const cwd = mkdtempSync(join(tmpdir(), 'mh-jobs-'));
mkdirSync(join(cwd, '.git'));
afterAll(() => rm(cwd, { recursive: true }));
const env = { HOME: cwd };

const ENDED = shown([
  started(),
  added(spec('job/1', { access: 'read' })),
  attempted('job/1'),
  attemptEnded('job/1'),
  { type: 'task.ended', data: { task: 'job/1', status: 'done', reason: 'answered' } },
  { type: 'run.ended', data: { status: 'done', reason: 'fine', spend: { costUsd: 0, tokens: 0, turns: 0 } } },
]);
const DOCUMENT = documentOf(ENDED);

function played(script: Script, ...argv: string[]) {
  const answers = { 'start-run': { run: 'r0000001', notes: [] }, 'show-run': DOCUMENT, ...script.answers };
  return stage({ cwd, env, streams: { 'watch-run': open(ENDED) }, ...script, answers }).run(...argv);
}

function inputOf({ calls }: { calls: { name: string; input: unknown }[] }) {
  return calls.find(({ name }) => name === 'start-run')?.input;
}

describe('a job at a time', () => {
  it('says when it starts, how often it comes, and that this terminal keeps the time', async () => {
    const ended = await played({}, 'job', 'Do it', '--at', '+2h', '--every', '10m', '--times', '3');
    expect(inputOf(ended)).toMatchObject({
      input: { notBefore: T0 + 7_200_000, repeat: { everyMs: 600_000, times: 3 } },
    });
    expect(ended.stderr).toContain(
      '(in 2h 0m), and again 10m 0s after each success, 3 times in all. This terminal is the engine',
    );
  });

  it('says that an engine which runs already keeps the time, or a process in the background', async () => {
    expect((await played({ engine: 'other' }, 'job', 'Do it', '--at', '+2h')).stderr).toContain(
      'The engine that runs already keeps the time',
    );
    const announced = JSON.stringify({ runs: ['r0000001'] });
    const detached = await played(
      { announced, answers: { 'list-runs': [] } },
      'job',
      'Do it',
      '--at',
      '+2h',
      '--detach',
    );
    expect([detached.stdout, detached.stderr]).toEqual([
      'r0000001\n',
      expect.stringContaining('in the background is the engine and keeps the time'),
    ]);
  });

  it.each([
    [['--at', 'yesterday'], /is no time\. Understood are 07:30/],
    [['--every', '0m'], /Give a time from 1s to 366d/],
    [['--every', '500d'], /Give a time from 1s to 366d/],
    [['--times', '3'], /give --every too/],
    [['--context', 'no-sign'], /neither key=value nor @file\.json/],
    [['--context', '=x'], /neither key=value/],
    [['--context', 'a\nb=x'], /--context "a\\nb": a name of at most 100/],
    [['--context', '@none.json'], /context file .*none\.json cannot be used/],
    [['--template', 'bugfx'], /Did you mean bugfix\?/],
    [['--template', '../x'], /is no name/],
  ])('is refused before anything is started: %j', async (flags, message) => {
    const { code, stderr, calls } = await played({}, 'job', 'Do it', ...flags);
    expect([code === 2 || code === 3, calls]).toEqual([true, []]);
    expect(stderr).toMatch(message);
  });
});

describe('what a job is told', () => {
  it('has context from words and files, the last one of a name, texts letter for letter', async () => {
    writeFileSync(join(cwd, 'facts.json'), JSON.stringify({ ticket: 'A-1', size: 3, list: [1], log: 'a\n {{b}}' }));
    const ended = await played({}, 'job', 'Do it', '--context', '@facts.json', '--context', 'ticket= =A=2 ');
    expect(inputOf(ended)).toMatchObject({
      input: { context: { ticket: ' =A=2 ', size: '3', list: '[1]', log: 'a\n {{b}}' } },
    });
  });

  it('is what the template is for, when nothing else is said', async () => {
    expect(inputOf(await played({}, 'job', '--template', 'repo-audit'))).toMatchObject({
      input: { template: 'repo-audit', task: expect.stringContaining('what shape this repository is in') },
    });
    const { code, stderr } = await played({}, 'job');
    expect([code, stderr]).toEqual([2, expect.stringContaining('Say what to do')]);
  });

  it('can be read beforehand', async () => {
    const { stdout } = await played({}, 'template', 'render', 'bugfix', 'Mend {{it}}', '--context', 'a=1');
    expect(stdout).toMatch(
      /^### Guidelines\n\nMend the cause[\s\S]*### The task\n\nMend \{\{it\}\}\n\n### Context\n\na: 1\n$/,
    );
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

  it('leaves hidden runs out, says how many, and shows them when asked', async () => {
    const answers = { 'list-runs': [SUMMARY, hidden] };
    const plain = await played({ answers }, 'ls');
    expect([plain.stdout.includes('h0000001'), plain.stderr]).toEqual([
      false,
      '1 hidden run is not listed; manyhands ls --hidden lists all.\n',
    ]);
    const all = await played({ answers }, 'ls', '--hidden');
    expect([all.stdout, all.stderr]).toEqual([expect.stringMatching(/h0000001 .* \(hidden\) A run/), '']);
    expect(JSON.parse((await played({ answers }, 'ls', '--json')).stdout)).toHaveLength(1);
  });

  it('says what is flagged, in which collection, and when it goes on', async () => {
    const { stdout, calls } = await played(
      { answers: { 'list-runs': [flagged] } },
      'ls',
      '--collection',
      'nightly',
      '--flagged',
    );
    expect(stdout).toMatch(/nightly +⚑ look: \(next 1970-01-01 \d\d:16:40\) A run/);
    expect(calls[0]?.input).toMatchObject({ collection: 'nightly', flagged: true });
  });
});

describe('a batch', () => {
  const folder = join(cwd, '.manyhands', 'batches');
  const THREE = 'template: bugfix\ncontext: { team: a }\nparallel: 2\nitems: [One, Two, Three]\n';
  const keep = (text: string) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'docs.yaml'), text);
  };
  beforeEach(() => rm(folder, { recursive: true, force: true }));

  it('is kept in a file of the project, from prompts, lines and files', async () => {
    await played({}, 'batch', 'add', 'docs', 'One', 'Two', '--template', 'bugfix', '--parallel', '2');
    await played({ stdin: 'Three\n\n# not this\n' }, 'batch', 'add', 'docs', '-');
    writeFileSync(join(cwd, 'more.yaml'), 'items:\n  - { prompt: Four, title: The fourth }\n');
    await played({}, 'batch', 'add', 'docs', 'more.yaml', '--context', 'team=a');
    expect(JSON.parse((await played({}, 'batch', 'show', 'docs', '--json')).stdout)).toMatchObject({
      template: 'bugfix',
      context: { team: 'a' },
      items: [{ prompt: 'One' }, { prompt: 'Two' }, { prompt: 'Three' }, { prompt: 'Four', title: 'The fourth' }],
    });
    expect((await played({}, 'batch', 'ls')).stdout).toMatch(/docs +4 +4 +bugfix/);
  });

  it('does each item as a job in a collection of its own, and its exit code is that of the worst', async () => {
    keep(THREE);
    const taken: string[] = [];
    let asked = 0;
    const answers = {
      'list-collections': [{ name: 'docs' }],
      'add-collection': () => {
        taken.push('asked');
        if (taken.length === 1) throw new AppError('COLLECTION_TAKEN', 'somebody was quicker');
        return { name: 'docs 2' };
      },
      'show-run': () => {
        asked += 1;
        return asked === 2 ? { ...DOCUMENT, status: 'failed' } : DOCUMENT;
      },
    };
    const { code, calls, stdout, stderr } = await played(
      { answers },
      'batch',
      'run',
      'docs',
      '--check',
      'npm test',
      '--json',
    );
    expect(code).toBe(1);
    const inputs = calls.filter(({ name }) => name === 'start-run').map(({ input }) => input);
    expect(inputs).toMatchObject(
      ['One', 'Two', 'Three'].map((task) => ({
        recipe: 'job',
        input: { task, template: 'bugfix', context: { team: 'a' } },
        options: { checks: ['npm test'], collection: 'docs 2' },
      })),
    );
    expect(JSON.parse(stdout)).toMatchObject({
      batch: 'docs',
      collection: 'docs 2',
      items: [{ item: 1, run: 'r0000001' }, { item: 2 }, { item: 3 }],
    });
    expect(stderr).toContain('2 done, 1 failed. All of it: manyhands collection show "docs 2"');
  });

  it('goes on from an item, and says from which one when it could not go on', async () => {
    keep(THREE);
    let started = 0;
    const answers = {
      'start-run': () => {
        started += 1;
        if (started === 2) throw new AppError('AGENT_MISSING', 'No agent can work here');
        return { run: 'r0000001', notes: [] };
      },
    };
    const script = { answers };
    const { code, stderr } = await played(
      script,
      'batch',
      'run',
      'docs',
      '--from',
      '2',
      '--collection',
      'mine',
      '--parallel',
      '1',
    );
    expect([code, started]).toEqual([3, 2]);
    expect(stderr).toContain('Go on with: manyhands batch run docs --from 3 --collection "mine"');
    expect((await played({}, 'batch', 'run', 'docs', '--from', '4')).stderr).toContain('has 3 items');
  });

  it('starts nothing when a template of it is missing', async () => {
    keep('items: [One, { prompt: Two, template: none }]\n');
    const { code, calls } = await played({}, 'batch', 'run', 'docs');
    expect([code, calls]).toEqual([3, []]);
  });

  it('starts no more items once it is interrupted', async () => {
    keep(THREE);
    let starts = 0;
    const show: Script = {
      cwd,
      env,
      answers: {
        'start-run': () => {
          starts += 1;
          queueMicrotask(() => theatre.signal('SIGINT'));
          return { run: 'r0000001', notes: [] };
        },
        'show-run': { ...DOCUMENT, status: 'running' },
      },
      streams: { 'watch-run': open(ENDED.slice(0, 3)) },
    };
    const theatre = stage(show);
    const { code, stderr } = await theatre.run('batch', 'run', 'docs', '--collection', 'mine', '--parallel', '1');
    expect([code, starts]).toEqual([130, 1]);
    expect(stderr).toContain('Not started: from item 2 on');
  });
});
