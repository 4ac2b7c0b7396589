import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RunDocument } from '../../src/schema/document.ts';
import { appears } from '../support/appears.ts';
import { runForDocument } from '../support/run-for-document.ts';
import { makeScratch, type Scratch } from '../support/scratch.ts';
import { TESTS_ALL } from '../support/variants.ts';

/** Appends its task's name to a file of its own, and stops at a gate file if its prompt says so. */
const AGENT = `#!/bin/sh
prompt=$(cat)
case "$MANYHANDS_ROLE" in
  plan) echo '{"tasks":[{"id":"a","title":"Do A","description":"a","needs":[]},{"id":"b","title":"Do B","description":"b","needs":["a"]}]}'; exit 0 ;;
  review) echo '{"findings":[],"summary":"fine"}'; exit 0 ;;
esac
case "$prompt" in *break-down*) [ -e "$HOME/mended" ] || exit 3 ;; esac
case "$prompt" in *wait*) echo started > "$HOME/started"; while [ ! -e "$HOME/go" ]; do sleep 0.05; done ;; esac
echo "$MANYHANDS_TASK" > "$(echo "$MANYHANDS_TASK" | tr / -).txt"
echo "did $MANYHANDS_TASK"
`;

function scratch(config = ''): Promise<Scratch> {
  const settings = `agents:\n  hand: { kind: command, command: ./agent.sh }\nlimits: { attempts: 1, retryDelaySeconds: 0 }\nchecks: ["test -e base.txt"]\n${config}`;
  return makeScratch({ files: { 'base.txt': 'base\n', 'agent.sh': AGENT, '.manyhands/config.yaml': settings } });
}

describe.concurrent('controlling a run', () => {
  it('stops after planning, and continues once the plan is approved', async () => {
    await using project = await scratch();
    const planned = await runForDocument(project, 'do', 'Do A, then B', '--plan-only');
    expect([planned.code, planned.status]).toEqual([4, 'held']);
    expect(planned.tasks.map(({ key, status }) => [key, status])).toEqual([
      ['plan/1', 'done'],
      ['implement/1.1', 'ready'],
      ['implement/1.2', 'waiting'],
    ]);
    const done = await runForDocument(project, 'approve');
    expect([done.code, done.status]).toEqual([0, 'done']);
    expect(project.git('ls-tree', '--name-only', `mh/${done.run}`).split('\n')).toContain('implement-1.2.txt');
  });

  it('retries a failed task with those that were skipped because of it', async () => {
    await using project = await scratch();
    const failed = await runForDocument(project, 'job', 'please break-down');
    expect([failed.code, failed.status]).toEqual([1, 'failed']);
    writeFileSync(join(project.root, 'mended'), '');
    const done = await runForDocument(project, 'retry', failed.run);
    expect([done.code, done.status, done.tasks[0]?.attempts]).toEqual([0, 'done', 2]);
  });

  it('lists, shows and cancels a run from a second terminal', async () => {
    await using project = await scratch();
    const working = project.start(['job', 'please wait', '--json']);
    await appears(join(project.root, 'started'));
    const listed = await project.mh(['ls', '--json']);
    expect(listed.json).toMatchObject([{ status: 'running', title: 'please wait' }]);
    const logs = await project.mh(['show', '--json']);
    expect(logs.json).toMatchObject({ tasks: [{ key: 'job/1', status: 'running', agent: 'hand' }] });
    const stopped = await project.mh(['cancel', '--all', '--json', '--dir', '/']);
    expect(stopped.json).toMatchObject({ runs: [RunDocument.parse(logs.json).run], batches: [], refused: [] });
    const ended = await working.done;
    expect([ended.code, RunDocument.parse(ended.json).status]).toEqual([1, 'cancelled']);
    expect(await project.leftovers()).toEqual([]);
  });

  it('names the run of another terminal for which a command stays the engine', async () => {
    await using project = await scratch();
    const working = project.start(['job', 'please wait', '--json']);
    await appears(join(project.root, 'started'));
    const [first] = JSON.parse((await project.mh(['ls', '--json'])).stdout);
    const { run } = JSON.parse((await project.mh(['job', 'please wait', '--detach', '--json'])).stdout);
    expect((await runForDocument(project, 'cancel', first.run)).status).toMatch(/cancel/);
    writeFileSync(join(project.root, 'go'), '');
    const ended = await working.done;
    expect(ended.stderr).toContain(`This process is also the engine of run ${run}, and ends when that has ended.`);
    expect((await runForDocument(project, 'show', run)).status).toBe('done');
  });

  it.runIf(TESTS_ALL)('starts a job after the run that it follows', async () => {
    await using project = await scratch();
    const first = project.start(['job', 'please wait', '--json']);
    await appears(join(project.root, 'started'));
    const [listed] = JSON.parse((await project.mh(['ls', '--json'])).stdout);
    const second = project.start(['job', 'then this', '--after', listed.run, '--json']);
    const runs = async () => JSON.parse((await project.mh(['ls', '--json'])).stdout);
    for (let tries = 0; tries < 100 && (await runs()).length < 2; tries += 1);
    expect((await runs()).map(({ status }: { status: string }) => status)).toEqual(['running', 'running']);
    writeFileSync(join(project.root, 'go'), '');
    const ended = [await first.done, await second.done];
    expect(ended.map(({ code, stderr }) => [code, /error|hint/.test(stderr) ? stderr : ''])).toEqual([
      [0, ''],
      [0, ''],
    ]);
    const [one, two] = ended.map(({ json }) => RunDocument.parse(json));
    expect([one?.status, two?.status]).toEqual(['done', 'done']);
    expect(Date.parse(two?.endedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(one?.endedAt ?? ''));
  });

  it('fast-forwards the base and a clean checkout with --land merge', async () => {
    await using project = await scratch();
    const done = await runForDocument(project, 'job', 'add a file', '--land', 'merge');
    expect([done.code, done.landed?.branch]).toEqual([0, 'main']);
    expect(project.git('rev-parse', 'main')).toBe(done.landed?.commit);
    expect(existsSync(join(project.repo, 'job-1.txt'))).toBe(true);
    expect(project.git('status', '--porcelain')).toBe('');
  });

  it('lands an ended run later, together with new commits on the base', async () => {
    await using project = await scratch();
    const done = await runForDocument(project, 'job', 'add a file');
    writeFileSync(join(project.repo, 'mine.txt'), 'mine\n');
    project.git('add', 'mine.txt');
    project.git('commit', '--quiet', '--message=Mine');
    const landed = await runForDocument(project, 'land', done.run);
    expect(landed.landed).toMatchObject({ branch: 'main', how: 'merge' });
    expect(project.git('ls-tree', '--name-only', 'main').split('\n')).toEqual(
      expect.arrayContaining(['job-1.txt', 'mine.txt']),
    );
  });

  it.runIf(TESTS_ALL)('restores saved work of a failed run to a branch', async () => {
    await using project = await scratch();
    const failed = await runForDocument(project, 'job', 'add a file', '--check', 'false');
    expect(failed.status).toBe('failed');
    const saved = await project.mh(['salvage', '--json']);
    expect(saved.json).toMatchObject([{ run: failed.run, task: 'job/1', attempt: 1, landed: false, files: 1 }]);
    const [{ ref }] = JSON.parse(saved.stdout);
    const restored = await project.mh(['salvage', 'restore', ref, '--branch', 'rescued', '--json']);
    expect([restored.code, restored.stderr]).toEqual([0, expect.any(String)]);
    expect(project.git('ls-tree', '--name-only', 'rescued').split('\n')).toContain('job-1.txt');
  });

  it('reports a result as unverified without a check', async () => {
    await using project = await scratch('');
    writeFileSync(
      join(project.repo, '.manyhands/config.yaml'),
      'agents:\n  hand: { kind: command, command: ./agent.sh }\n',
    );
    const done = await runForDocument(project, 'job', 'add a file');
    expect([done.code, done.status]).toEqual([4, 'unverified']);
  });

  it('stops at the budget before it starts what it cannot pay for', async () => {
    await using project = await makeScratch({
      files: {
        'base.txt': 'x\n',
        'agent.sh': `#!/bin/sh\ncat > /dev/null\necho x >> spent.txt\necho '{"usage":{"costUsd":0.6,"inputTokens":1,"outputTokens":1}}'\n`,
        '.manyhands/config.yaml':
          'agents:\n  hand: { kind: command, command: ./agent.sh }\nbudget: { attempt: 0.7 }\nlimits: { attempts: 5, retryDelaySeconds: 0 }\n',
      },
    });
    const done = await runForDocument(project, 'job', 'spend', '--budget', '1', '--check', 'false');
    expect([done.code, done.status, done.cost]).toEqual([1, 'failed', 0.6]);
    expect(done.reason).toMatch(/budget/);
  });

  it('prints the answer of a read-only role, also in a folder without a repository', async () => {
    await using project = await scratch();
    const folder = join(project.root, 'plain');
    mkdirSync(folder);
    writeFileSync(join(folder, 'note.txt'), 'hello\n');
    writeFileSync(join(project.repo, 'reader.sh'), '#!/bin/sh\ncat > /dev/null\nls\n', { mode: 0o755 });
    const ask = (agent: string) =>
      project.mh(['job', 'What is here?', '--role', 'research', '--agent', `command:${agent}`, '-C', folder, '--json']);
    expect((await ask(join(project.repo, 'none.sh'))).code).toBe(3);
    const { json, code } = await ask(join(project.repo, 'reader.sh'));
    expect([code, json]).toMatchObject([0, { status: 'done', result: 'note.txt', branch: null }]);
  });
});
