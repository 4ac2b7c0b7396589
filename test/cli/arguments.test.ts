import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { RunDocument } from '../../src/schema/document.ts';
import { started } from '../support/given.ts';
import { documentOf, open, type Script, shown, testProgram } from './cli-run.ts';

const dir = mkdtempSync(join(tmpdir(), 'mh-cli-'));
writeFileSync(join(dir, 'goal.md'), 'A goal\nin a file\n');
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const EVENTS = shown([
  started(),
  { type: 'run.ended', data: { status: 'done', reason: 'all passed', spend: { costUsd: 0, tokens: 0, turns: 0 } } },
]);
const DOCUMENT: RunDocument = documentOf(EVENTS);
const RUN = DOCUMENT.run;

const OPTIONS = { dir, agents: [], checks: [], rehearse: false };
const JOB = { write: false, after: [], priority: 0, stop: { completion: false }, retry: 'same', context: {} };

/** The command line, and the operation that it calls. */
const TABLE: { argv: string[]; operation: string; input: unknown; stdin?: string }[] = [
  {
    argv: ['do', 'Fix it'],
    operation: 'start-run',
    input: { recipe: 'goal', input: { goal: 'Fix it', planOnly: false }, options: OPTIONS },
  },
  {
    argv: ['do', 'Fix', 'all', 'of', 'it'],
    operation: 'start-run',
    input: { recipe: 'goal', input: { goal: 'Fix all of it', planOnly: false }, options: OPTIONS },
  },
  {
    argv: ['do', '-'],
    stdin: 'from stdin\n',
    operation: 'start-run',
    input: { recipe: 'goal', input: { goal: 'from stdin', planOnly: false }, options: OPTIONS },
  },
  {
    argv: ['do', '@goal.md', '--plan-only'],
    operation: 'start-run',
    input: { recipe: 'goal', input: { goal: 'A goal\nin a file', planOnly: true }, options: OPTIONS },
  },
  {
    argv: [
      'do',
      'x',
      '-a',
      'ada',
      '--agent',
      'implement=command:./a.sh',
      '-c',
      'npm test',
      '--check',
      'lint',
      '--land',
      'merge',
      '--budget',
      '2.5',
      '--base',
      'dev',
      '-p',
      '4',
      '-t',
      'Short',
    ],
    operation: 'start-run',
    input: {
      recipe: 'goal',
      input: { goal: 'x', planOnly: false },
      options: {
        dir,
        agents: ['ada', 'implement=command:./a.sh'],
        checks: ['npm test', 'lint'],
        land: 'merge',
        budget: 2.5,
        base: 'dev',
        rehearse: false,
        maxParallel: 4,
        title: 'Short',
      },
    },
  },
  {
    argv: ['do', 'x', '--scenario', 's.yaml'],
    operation: 'start-run',
    input: {
      recipe: 'goal',
      input: { goal: 'x', planOnly: false },
      options: { ...OPTIONS, rehearse: true, scenario: join(dir, 's.yaml') },
    },
  },
  {
    argv: ['job', 'Look'],
    operation: 'start-run',
    input: { recipe: 'job', input: { task: 'Look', ...JOB }, options: OPTIONS },
  },
  {
    argv: ['job', 'x', '--scope-allow', 'src', '--scope-allow', 'a/**', '--scope-deny', 'b', '--max-diff-lines'],
    operation: 'start-run',
    input: {
      recipe: 'job',
      input: { task: 'x', ...JOB, scope: { allow: ['src', 'a/**'], deny: ['b'], maxChangedLines: 800 } },
      options: OPTIONS,
    },
  },
  {
    argv: [
      'job',
      'x',
      '--after',
      'abc',
      '--after',
      'def/implement/1.1',
      '--priority',
      '-5',
      '--stop',
      'turns=3',
      '--stop',
      'time=10m',
      '--stop',
      'budget=1',
      '--stop',
      'completion',
      '--retry',
      'analyze',
      '--role',
      'research',
      '--write',
    ],
    operation: 'start-run',
    input: {
      recipe: 'job',
      input: {
        task: 'x',
        role: 'research',
        write: true,
        after: ['abc', 'def/implement/1.1'],
        priority: -5,
        stop: { turns: 3, seconds: 600, budget: 1, completion: true },
        retry: 'analyze',
        context: {},
      },
      options: OPTIONS,
    },
  },
  { argv: ['ls'], operation: 'list-runs', input: { dir, limit: 20, flagged: false, hidden: true, archived: false } },
  {
    argv: ['list', '--all', '-n', '5'],
    operation: 'list-runs',
    input: { limit: 5, flagged: false, hidden: true, archived: false },
  },
  { argv: ['show'], operation: 'show-run', input: { dir } },
  { argv: ['status', 'k3v'], operation: 'show-run', input: { dir, run: 'k3v' } },
  { argv: ['diff', 'k3v', 'implement/1.2'], operation: 'diff-run', input: { dir, run: 'k3v', task: 'implement/1.2' } },
  { argv: ['diff', 'implement/1.2'], operation: 'diff-run', input: { dir, task: 'implement/1.2' } },
  { argv: ['diff', 'k3v/implement/1.2'], operation: 'diff-run', input: { dir, run: 'k3v', task: 'implement/1.2' } },
  {
    argv: ['logs', 'k3v', '--task', 'plan/1'],
    operation: 'read-logs',
    input: { dir, run: 'k3v', task: 'plan/1', follow: false, after: 0 },
  },
  { argv: ['logs', '-f'], operation: 'read-logs', input: { dir, follow: true, after: 0 } },
  { argv: ['limit', 'k3v', '--agents', '4'], operation: 'limit-run', input: { dir, run: 'k3v', agents: 4 } },
  {
    argv: ['cancel', 'k3v', '--reason', 'no'],
    operation: 'cancel-run',
    input: { dir, run: 'k3v', reason: 'no', force: false },
  },
  {
    argv: ['cancel', '--force'],
    operation: 'cancel-run',
    input: { dir, reason: 'cancelled by a person', force: true },
  },
  { argv: ['resume'], operation: 'resume-runs', input: { dir } },
  { argv: ['resume', 'k3v'], operation: 'resume-runs', input: { dir, run: 'k3v' } },
  {
    argv: ['retry', 'k3v', 'plan/1'],
    operation: 'retry-run',
    input: { dir, run: 'k3v', task: 'plan/1', requeue: false, agents: [], scopeAllow: [] },
  },
  {
    argv: ['retry', '--requeue', '-a', 'codex', '--scope-allow', 'docs', '--budget', '3', '--stop', 'silence=2m'],
    operation: 'retry-run',
    input: {
      dir,
      requeue: true,
      agents: ['codex'],
      scopeAllow: ['docs'],
      budget: 3,
      stop: { silenceSeconds: 120, completion: false },
    },
  },
  { argv: ['diff', 'k3v9x2ab/Login'], operation: 'diff-run', input: { dir, run: 'k3v9x2ab', task: 'Login' } },
  { argv: ['approve', '--note', 'fine'], operation: 'approve-run', input: { dir, note: 'fine' } },
  { argv: ['land'], operation: 'land-run', input: { dir, how: 'merge' } },
  { argv: ['land', 'k3v', '--how', 'pr'], operation: 'land-run', input: { dir, run: 'k3v', how: 'pr' } },
  { argv: ['salvage', 'k3v'], operation: 'list-salvage', input: { dir, run: 'k3v' } },
  {
    argv: ['salvage', 'restore', 'refs/x', '--branch', 'b'],
    operation: 'restore-salvage',
    input: { dir, ref: 'refs/x', branch: 'b' },
  },
  {
    argv: ['clean', '--older-than', '30d'],
    operation: 'clean',
    input: { dir, olderThanDays: 30, apply: false },
  },
  { argv: ['clean'], operation: 'clean', input: { dir, olderThanDays: 7, apply: false } },
  {
    argv: ['archive', '--older-than', '90d'],
    operation: 'archive',
    input: { dir, olderThanDays: 90, apply: false, remove: false },
  },
  {
    argv: ['clean', '--all', '--older-than', '0', '--apply'],
    operation: 'clean',
    input: { olderThanDays: 0, apply: true },
  },
  { argv: ['wait', 'k3v'], operation: 'show-run', input: { dir, run: 'k3v' } },
  { argv: ['usage'], operation: 'usage', input: { dir, by: 'agent', daily: false } },
  { argv: ['usage', '--by', 'day', '--all'], operation: 'usage', input: { by: 'day', daily: false } },
  { argv: ['where'], operation: 'where', input: { dir } },
  { argv: ['doctor'], operation: 'doctor', input: { dir } },
];

function script(more: Script = {}): Script {
  return {
    cwd: dir,
    answers: {
      'start-run': { run: RUN, notes: [] },
      'list-runs': [],
      'show-run': DOCUMENT,
      'diff-run': { run: RUN, from: 'a', to: 'b', stat: '1 file', diff: '+x\n' },
      'cancel-run': DOCUMENT,
      'limit-run': DOCUMENT,
      'approve-run': DOCUMENT,
      'retry-run': DOCUMENT,
      'resume-runs': { runs: [RUN] },
      'land-run': DOCUMENT,
      'list-salvage': [],
      usage: [],
      'restore-salvage': { branch: 'b', commit: 'c' },
      clean: { items: [], bytes: 0, applied: false, kept: [] },
      archive: { items: [], applied: false },
      where: [],
      doctor: [],
    },
    streams: { 'watch-run': open(EVENTS) },
    ...more,
  };
}

describe('a command line', () => {
  for (const { argv, operation, input, stdin } of TABLE) {
    it(`operation for ${operation}: manyhands ${argv.join(' ')}`, async () => {
      const result = await testProgram(script(stdin === undefined ? {} : { stdin })).run(...argv);
      expect(result).toMatchObject({ code: 0 });
      expect(result.calls[0]).toEqual({ name: operation, input });
    });
  }

  it('takes the folder from -C, before the command or after it', async () => {
    const after = await testProgram(script({ cwd: '/' })).run('show', '-C', dir);
    const before = await testProgram(script({ cwd: '/' })).run('-C', dir, 'show');
    expect(after.calls).toEqual([{ name: 'show-run', input: { dir } }]);
    expect(before.calls).toEqual(after.calls);
  });

  it('reads goals that begin with a dash after --', async () => {
    const { calls } = await testProgram(script()).run('do', '--', '--json is missing');
    expect(calls[0]?.input).toMatchObject({ input: { goal: '--json is missing' } });
  });
});

describe('--json', () => {
  const READING = [
    'ls',
    'show',
    'diff',
    'logs',
    'salvage',
    'clean',
    'where',
    'doctor',
    'wait',
    'limit --agents 4',
    'cancel',
    'resume',
    'land',
    'config list',
    'config get land',
  ];
  for (const command of READING) {
    it(`prints exactly one document on stdout: ${command}`, async () => {
      const { stdout } = await testProgram(
        script({ streams: { 'watch-run': open(EVENTS), 'read-logs': async function* () {} } }),
      ).run(...command.split(' '), '--json');
      expect(() => JSON.parse(stdout)).not.toThrow();
    });
  }

  it('of do is the document of the run', async () => {
    const { stdout } = await testProgram(script()).run('do', 'x', '--json');
    expect(JSON.parse(stdout)).toEqual(DOCUMENT);
  });
});
