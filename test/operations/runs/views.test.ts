import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../../src/access/caller.ts';
import { asRunState, asTaskState } from '../../../src/core/view/shown-state.ts';
import { Follower, openCaller, startJob } from '../../support/caller.ts';
import { makeScratch, type Scratch } from '../../support/scratch.ts';

const AGENT = `#!/bin/sh
prompt=$(cat)
for n in $(seq 1 700); do echo "line $n"; done
echo "the turnip is found"
case "$prompt" in *linger*) while [ ! -e "$HOME/go" ]; do sleep 0.05; done ;; esac
echo "$MANYHANDS_RUN" > "$MANYHANDS_RUN.txt"
`;
const CONFIG = `# what everybody should know
agents:
  hand: { kind: command, command: ./agent.sh, env: { API_KEY: very-secret-1 } } # ours
checks: [ "echo all is well" ]
limits:
  # not too many
  agents: 4
`;
const BATCH =
  'parallel: 1\nitems:\n  - Mend the first\n  - prompt: Mend the second\n    title: Second\n  - Mend the third\n';
const TASKS =
  'tasks:\n  - id: a\n    title: Do A\n    description: first\n  - id: b\n    title: Do B\n    description: then\n    depends_on: [a]\n';

let scratch: Scratch;
let engine: Caller;
let run: string;

beforeEach(async () => {
  scratch = await makeScratch({
    files: {
      'agent.sh': AGENT,
      '.manyhands/config.yaml': CONFIG,
      '.manyhands/batches/docs.yaml': BATCH,
      'tasks.yaml': TASKS,
      'broken.yaml': 'tasks:\n  - id: a\n    title: Do A\n',
    },
  });
  engine = await openCaller(scratch);
  run = await startJob(engine, scratch, 'Look for the beetroot');
  await ended(run);
});

afterEach(async () => {
  await engine[Symbol.asyncDispose]();
  await scratch[Symbol.asyncDispose]();
});

async function ended(id: string): Promise<void> {
  for await (const { type } of engine.stream('watch-run', { run: id })) if (type === 'run.ended') return;
}

describe('what pages ask for', () => {
  it('pages through a transcript by offset, around a row and to the next match of a text', async () => {
    const task = 'job/1';
    const last = await engine.call('read-transcript', { run, task });
    expect([last.attempt, last.total, last.offset, last.rows.length]).toEqual([1, 702, 502, 200]);
    const first = await engine.call('read-transcript', { run, task, offset: 0, limit: 2 });
    expect(first.rows.map(({ text }) => text)).toEqual(['line 1', 'line 2']);
    const { hits, more } = await engine.call('find-in-transcript', { run, task, text: 'turn' });
    expect([hits.map(({ offset, excerpt }) => [offset, excerpt]), more]).toEqual([
      [[700, 'the turnip is found']],
      false,
    ]);
    const around = await engine.call('read-transcript', { run, task, row: hits[0]?.id ?? 0, limit: 10 });
    expect([around.offset, around.rows[5]?.text]).toEqual([695, 'the turnip is found']);
    const next = await engine.call('read-transcript', { run, task, offset: 20, find: 'line 5', limit: 1 });
    expect(next.rows.map(({ text }) => text)).toEqual(['line 50']);
    expect(await engine.call('read-transcript', { run, task, offset: 9_999 })).toMatchObject({ offset: 702, rows: [] });
    await expect(engine.call('read-transcript', { run, task, attempt: 7 })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
    });
    const lines = [];
    for await (const line of engine.stream('read-logs', { run, attempt: 1, after: hits[0]?.id ?? 0 })) lines.push(line);
    expect(lines).toMatchObject([{ kind: 'note', text: expect.stringContaining('without a lock') }]);
  });

  it('shows a task whole and the run small', async () => {
    const shown = await engine.call('show-task', { run, task: '1' });
    expect(shown).toMatchObject({ run, recipe: 'job', status: 'done', stale: false, dependents: [] });
    const task = asTaskState(shown.task);
    expect(task.spec.prompt).toContain('beetroot');
    expect(task.attempts[0]?.process?.token).toBe('');
    const { version, state } = await engine.call('run-state', { run });
    const small = asRunState(state);
    expect([small.version, small.tasks['job/1']?.spec.prompt]).toEqual([version, '']);
  });

  it('shows the output of a check that passed, which the state of the run does not keep', async () => {
    const output = 'all is well\n';
    const shown = asTaskState((await engine.call('show-task', { run, task: '1' })).task);
    expect(shown.evidence.at(-1)).toMatchObject({ gate: 'echo all is well', verdict: 'pass', output });
    const { tasks } = await engine.call('show-run', { run });
    expect(tasks[0]?.evidence.at(-1)).toEqual(shown.evidence.at(-1));
    const renamed = await engine.call('rename-run', { run, title: 'Another' });
    expect(renamed.tasks[0]?.evidence).toEqual(tasks[0]?.evidence);
    const { state } = await engine.call('run-state', { run });
    expect(JSON.stringify(asRunState(state).tasks)).not.toContain(output.trim().concat('\\n'));
  });

  it('finds texts in transcripts and in tasks', async () => {
    const found = await engine.call('search', { text: 'turnip', dir: scratch.repo });
    expect(found.hits).toMatchObject([
      { run, task: 'job/1', attempt: 1, kind: 'text', excerpt: 'the turnip is found' },
    ]);
    const requested = await engine.call('search', { text: 'BEETROOT look' });
    expect(requested.tasks).toMatchObject([{ run, task: 'job/1', status: 'done' }]);
    expect(await engine.call('search', { text: 'turnip', project: 'another' })).toMatchObject({ hits: [], next: null });
    const paged = await engine.call('search', { text: 'line', run, limit: 3 });
    const older = await engine.call('search', { text: 'line', run, limit: 3, before: paged.next ?? 0 });
    expect([...paged.hits, ...older.hits].map(({ excerpt }) => excerpt)).toEqual(
      [700, 699, 698, 697, 696, 695].map((n) => `line ${n}`),
    );
  });

  it('lists runs by filter, projects, recipes, and nothing in an empty inbox', async () => {
    expect(await engine.call('list-inbox', {})).toEqual([]);
    const listed = await engine.call('list-runs', { text: 'beetroot', status: ['done'] });
    expect(listed.map((one) => one.run)).toEqual([run]);
    expect(await engine.call('list-runs', { status: ['failed'] })).toEqual([]);
    expect(await engine.call('list-runs', { before: run })).toEqual([]);
    expect(await engine.call('list-projects', {})).toMatchObject([
      { root: scratch.repo, name: 'project', exists: true, runs: 1 },
    ]);
    const recipes = await engine.call('list-recipes', {});
    expect(recipes.map(({ name }) => name)).toEqual([
      'goal',
      'cycle',
      'debate',
      'team',
      'improve',
      'job',
      'features',
      'bulk',
      'tasks',
      'workflow',
      'todo',
    ]);
    expect(recipes.find(({ name }) => name === 'goal')?.input).toMatchObject({
      properties: { goal: { type: 'string' } },
    });
    const compact = await engine.call('compact-run', { run });
    expect(compact).toMatchObject({ phase: 'ended', recommended: { action: 'land' }, unchanged: false });
    expect(await engine.call('compact-run', { run, after: compact.cursor })).toMatchObject({ unchanged: true });
  });

  it('reads work files of the project, and nothing outside of it', async () => {
    const read = await engine.call('read-work-file', { dir: scratch.repo, file: 'tasks.yaml' });
    expect(read).toMatchObject({ ok: true, recipe: 'tasks', count: 2, request: { recipe: 'tasks' } });
    expect(read.summary[1]).toContain('after a');
    const broken = await engine.call('read-work-file', { dir: scratch.repo, file: 'broken.yaml' });
    expect(broken).toMatchObject({ ok: false, request: null, mistakes: [{ line: 2 }] });
    writeFileSync(join(scratch.root, 'outside.md'), '- [ ] steal\n');
    for (const file of ['../outside.md', join(scratch.root, 'outside.md'), '.git/config', 'missing.yaml'])
      await expect(engine.call('read-work-file', { dir: scratch.repo, file })).rejects.toMatchObject({
        code: 'WORK_FILE_UNREADABLE',
      });
  });

  it('changes settings with their comments kept, all or nothing, and shows no secret', async () => {
    const requested = { dir: scratch.repo, scope: 'project' as const };
    const before = await engine.call('read-settings', requested);
    expect(before.origins).toMatchObject({ 'limits.agents': 'project', land: 'default' });
    expect(JSON.stringify(before)).not.toContain('very-secret-1');
    const change = { path: ['limits', 'agents'], value: 2 };
    const after = await engine.call('write-settings', { ...requested, changes: [change], hash: before.hash });
    expect(after.effective).toMatchObject({ limits: { agents: 2 } });
    const text = readFileSync(join(scratch.repo, '.manyhands/config.yaml'), 'utf8');
    expect(text).toBe(CONFIG.replace('agents: 4', 'agents: 2'));
    const write = (value: unknown, hash: string) =>
      engine.call('write-settings', { ...requested, hash, changes: [change, { path: ['limits', 'checks'], value }] });
    await expect(write(3, before.hash)).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(write('many', after.hash)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await expect(write('[hidden]', after.hash)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    expect(readFileSync(join(scratch.repo, '.manyhands/config.yaml'), 'utf8')).toBe(text);
    await expect(engine.call('read-settings', { dir: '/', scope: 'project' })).rejects.toMatchObject({
      code: 'NOT_A_REPOSITORY',
    });
  });

  it('lists what waits for a person, since when, and removes it once it is resolved', async () => {
    await using follower = new Follower(engine);
    await follower.ready();
    const waiting = await startJob(engine, scratch, 'linger');
    await engine.call('pause-run', { run: waiting, reason: 'enough for today' });
    const paused = await follower.run(({ attention }) => attention.length > 0);
    expect(paused).toMatchObject({ run: waiting, attention: [{ task: null, what: 'paused' }] });
    const inbox = await engine.call('list-inbox', {});
    expect(inbox).toMatchObject([
      { run: waiting, title: 'linger', project: scratch.repo, what: 'paused', taskTitle: null },
    ]);
    expect(inbox[0]?.reason).toContain('enough for today');
    expect(Date.parse(inbox[0]?.since ?? '')).toBeGreaterThan(Date.parse(paused.startedAt));
    expect(await engine.call('list-inbox', { project: 'another' })).toEqual([]);
    await engine.call('cancel-run', { run: waiting });
    await follower.run(({ run: one, endedAt }) => one === waiting && endedAt !== null);
    expect(await engine.call('list-inbox', {})).toEqual([]);
  });

  it('writes and removes a template', async () => {
    const named = { dir: scratch.repo, name: 'tidy' };
    const saved = await engine.call('save-template', { ...named, text: 'Be tidy.', header: { summary: 'Tidy up' } });
    expect(saved).toMatchObject({ name: 'tidy', summary: 'Tidy up', from: 'project', text: 'Be tidy.' });
    await expect(engine.call('save-template', { ...named, text: 'Again' })).rejects.toMatchObject({
      code: 'FILE_TAKEN',
    });
    expect(await engine.call('remove-template', named)).toMatchObject({ name: 'tidy' });
  });

  it('runs a batch: a limited number of items at once, each in its collection', async () => {
    await using follower = new Follower(engine);
    await follower.ready();
    const started = await engine.call('start-batch', { dir: scratch.repo, name: 'docs' });
    expect(started).toMatchObject({ batch: 'docs', collection: 'docs', runs: [{ item: 1, title: 'Mend the first' }] });
    const seen = new Map<string, string>();
    let mostAtOnce = 0;
    await follower.run((one) => {
      if (one.collection === 'docs') seen.set(one.run, one.endedAt === null ? 'open' : one.title);
      mostAtOnce = Math.max(mostAtOnce, [...seen.values()].filter((status) => status === 'open').length);
      return seen.size === 3 && ![...seen.values()].includes('open');
    });
    expect([[...seen.values()], mostAtOnce]).toEqual([['Mend the first', 'Second', 'Mend the third'], 1]);
    const again = await engine.call('start-batch', { dir: scratch.repo, name: 'docs', from: 3, parallel: 2 });
    expect(again).toMatchObject({ collection: 'docs 2', runs: [{ item: 3 }] });
    await ended(again.runs[0]?.run ?? '');
    await expect(engine.call('start-batch', { dir: scratch.repo, name: 'docs', from: 4 })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
    });
  });
});
