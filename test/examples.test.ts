import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { RunDocument } from '../src/schema/document.ts';
import { WatchDocument } from '../src/schema/watch/watch-round.ts';
import { makeScratch, type Scratch } from './support/scratch.ts';

const EXAMPLES = resolve(import.meta.dirname, '../examples');
const INDEX = read('README.md');

test('the index names every example', () => {
  const scenarios = readdirSync(join(EXAMPLES, 'scenarios')).map((name) => `scenarios/${name}`);
  const others = readdirSync(EXAMPLES).filter((name) => name !== 'README.md' && name !== 'scenarios');
  expect([...scenarios, ...others].filter((name) => !INDEX.includes(`](${name})`))).toEqual([]);
});

describe('the minimal scenario', () => {
  test('comes to a verified end on any repository, past a rate limit and a lie', async () => {
    await using scratch = await makeScratch({ files: { 'hello.txt': 'hello\n' }, check: 'test -e hello.txt' });
    const { code, run } = await rehearse(scratch, 'Add two notes', 'scenarios/minimal.yaml');
    expect([code, run.status]).toEqual([0, 'done']);
    expect(scratch.git('ls-tree', '-r', '--name-only', `mh/${run.run}`, 'notes').split('\n')).toEqual([
      'notes/README.md',
      'notes/first.md',
      'notes/second.md',
    ]);
    const [, first, second] = run.tasks;
    expect([first?.agent, first?.attempts, second?.attempts]).toEqual(['grace', 2, 2]);
  });
});

describe('the demo', () => {
  test('goes through a failing check, a conflict, a rate limit and a review finding to a verified end', async () => {
    await using scratch = await makeScratch({ files: filesIn('demo/shop'), check: 'npm test' });
    const { code, run } = await rehearse(scratch, read('demo/goal.txt'), 'demo/scenario.yaml');
    expect([code, run.status]).toEqual([0, 'done']);
    const keys = run.tasks.map(({ key }) => key);
    expect(keys).toEqual(expect.arrayContaining(['implement/1.7', 'review/2', 'fix/1.1']));
    expect(run.tasks.filter(({ role }) => role === 'resolve')).toHaveLength(1);
    expect(run.tasks.find(({ key }) => key === 'implement/1.4')?.attempts).toBe(2);
    expect(run.tasks.find(({ key }) => key === 'implement/1.5')?.agent).toBe('grace');
    expect(scratch.git('show', `mh/${run.run}:src/offers/voucher.mjs`)).toContain('Math.min(valueOf(code), due)');
  }, 180_000);
});

describe('the cycle', () => {
  test('comes to a verified end past an implementer and a reviewer that claim too much', async () => {
    await using scratch = await makeScratch({ files: { 'hello.txt': 'hello\n' }, check: 'test -e hello.txt' });
    const { code, run } = await rehearse(scratch, 'Greet people', 'cycle/scenario.yaml', 'cycle');
    expect([code, run.status], run.reason ?? '').toEqual([0, 'done']);
    expect(run.progress?.points.map(({ by, round }) => [by, round])).toEqual([
      ['check', 1],
      ['check', 3],
      ['review', 2],
    ]);
    expect(run.progress?.rounds.map(({ done }) => done)).toEqual([1, 1, 1]);
    expect(run.tasks.filter(({ role }) => role === 'milestones').map(({ agent }) => agent)).toEqual(
      Array(3).fill('grace'),
    );
    const report = await scratch.mh(['report', run.run]);
    expect(report.stdout).toContain('## Progress');
    expect((await scratch.mh(['show', run.run])).stdout).toContain('Progress: 3 of 3');
  }, 120_000);
});

describe('the debate', () => {
  test('comes to an agreement with evidence, and to an action that the other side verified', async () => {
    await using scratch = await makeScratch({ files: { 'hello.txt': 'hello\n' }, check: 'test -e hello.txt' });
    const scenario = join(EXAMPLES, 'debate/scenario.yaml');
    const args = ['debate', 'Is the greeting complete?', '--then', 'Complete it', '--scenario', scenario, '--json'];
    const outline = await scratch.mh([...args, '--dry-run']);
    expect(outline.json).toMatchObject({ started: false, cost: { tasks: 10 }, stops: expect.any(Array) });
    const { code, json, stderr } = await scratch.mh(args);
    const run = RunDocument.parse(json);
    expect([code, run.status], stderr).toEqual([0, 'done']);
    expect(run.progress?.points.map(({ status }) => status)).toEqual(['done', 'done']);
    expect(run.result).toContain('Agreement after 2 rounds');
    expect(run.tasks.map(({ agent }) => agent)).toEqual(['ada', 'grace', 'ada', 'grace', 'ada', 'grace']);
    expect(scratch.git('show', `mh/${run.run}:greeting.txt`)).toBe('hello world');
  }, 120_000);
});

describe('the team', () => {
  test('comes to agreements, conflicts and gaps, and implements only what the roles accepted', async () => {
    await using scratch = await makeScratch({ files: { 'hello.txt': 'hello\n' }, check: 'test -e hello.txt' });
    const scenario = join(EXAMPLES, 'team/scenario.yaml');
    const task = ['team', 'Let the greeting name the reader', '--roles', 'requirements,security', '--write'];
    const args = [...task, '--scenario', scenario, '--json'];
    const { code, json, stderr } = await scratch.mh(args);
    const run = RunDocument.parse(json);
    expect([code, run.status], stderr).toEqual([0, 'done']);
    expect(run.progress?.points.map(({ status }) => status)).toEqual(['done', 'rejected']);
    expect(run.result).toContain('## Gaps\n\n- requirements: Whether the name may be empty');
    expect(run.result).toContain('2. Escape the name (P2; not accepted by the roles)');
    expect(scratch.git('show', `mh/${run.run}:greeting.txt`)).toBe('hello reader');
  }, 120_000);
});

describe('the improvement', () => {
  test('keeps only what measurably helped, and not what changes its measurement', async () => {
    const files = {
      'notes.txt': 'TODO one\nTODO two\ndone\n',
      'measure.sh': 'grep -c two notes.txt\n',
      'hello.txt': 'hello\n',
    };
    await using scratch = await makeScratch({ files, check: 'test -e hello.txt' });
    const scenario = join(EXAMPLES, 'improve/scenario.yaml');
    const { code, json, stderr } = await scratch.mh([
      'improve',
      '--yes',
      '--rounds',
      '2',
      '--scenario',
      scenario,
      '--json',
    ]);
    const run = RunDocument.parse(json);
    expect([code, run.status], stderr).toEqual([0, 'done']);
    const points = Object.fromEntries((run.progress?.points ?? []).map(({ id, ...point }) => [id, point]));
    expect(points['1.1']).toMatchObject({ status: 'done', evidence: '2 before, 1 after (lower is better)' });
    expect(points['1.2']).toMatchObject({ status: 'rejected', evidence: expect.stringContaining('measure.sh') });
    expect(points['1.3']).toMatchObject({ status: 'rejected', evidence: expect.stringContaining('3 before, 3 after') });
    expect(points['1.4']).toMatchObject({ status: 'rejected', evidence: expect.stringContaining('shows nothing') });
    expect(run.progress?.stop).toBe('round 2 found nothing new that a command shows');
    expect(scratch.git('show', `mh/${run.run}:measure.sh`)).toBe('grep -c two notes.txt');
    expect(scratch.git('show', `mh/${run.run}:notes.txt`)).toBe('TODO two\ndone');
  }, 120_000);
});

describe('the watcher', () => {
  test('shows what a second agent confirmed, and answers a message', async () => {
    await using scratch = await makeScratch({ files: { 'hello.txt': 'hello\n' }, check: 'test -e hello.txt' });
    const scenario = join(EXAMPLES, 'watch/scenario.yaml');
    await scratch.mh(['watch', 'reply', 'What is missing?']);
    const watcher = scratch.start(['watch', '--no-pull-requests', '--scenario', scenario]);
    await watcher.received('round 1 ended');
    const { proposals, discussions } = WatchDocument.parse((await scratch.mh(['watch', 'stop', '--json'])).json);
    expect((await watcher.done).code).toBe(0);
    expect(proposals).toMatchObject([{ id: 'p1', title: 'The greeting names nobody', confidence: 0.8 }]);
    expect(discussions[0]?.messages.at(-1)).toMatchObject({ by: 'agent', text: 'It should name the reader, see p1.' });
  }, 120_000);
});

async function rehearse(scratch: Scratch, goal: string, scenario: string, command = 'do') {
  const { code, json, stderr } = await scratch.mh([command, goal, '--scenario', join(EXAMPLES, scenario), '--json']);
  expect(json, stderr).toBeDefined();
  return { code, run: RunDocument.parse(json) };
}

function filesIn(folder: string): Record<string, string> {
  const entries = readdirSync(join(EXAMPLES, folder), { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    paths.map((path) => [path.slice(join(EXAMPLES, folder).length + 1), readFileSync(path, 'utf8')]),
  );
}

function read(path: string): string {
  return readFileSync(join(EXAMPLES, path), 'utf8');
}
