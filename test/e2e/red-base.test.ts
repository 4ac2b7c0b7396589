import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RunDocument } from '../../src/schema/document.ts';
import { makeScratch, type Scratch, writeFiles } from '../support/scratch.ts';
import { TESTS_ALL } from '../support/variants.ts';

/** Writes the file that its prompt names, and in the role repair what the check needs; leaves its prompt behind. */
const AGENT = `#!/bin/sh
prompt=$(cat)
printf '%s\\n' "$prompt" >>"$HOME/prompts"
case "$MANYHANDS_ROLE" in
  repair) echo good >state.txt ;;
  *)
    for name in one two; do case "$prompt" in *"$name.txt"*) echo "$name" >"$name.txt" ;; esac; done
    case "$prompt" in *"the state is bad"*) echo good >state.txt ;; esac ;;
esac
`;
const CHECK = 'grep -q good state.txt || { echo the state is bad; exit 1; }';
const TASKS = {
  tasks: ['one', 'two'].map((id) => ({ id, title: `Write ${id}`, description: `Write ${id}.txt` })),
};

async function scratch(check = CHECK): Promise<Scratch> {
  const settings = {
    agents: { hand: { kind: 'command', command: '../agent.sh' } },
    limits: { retryDelaySeconds: 0, freeDiskMb: 0, freeMemoryMb: 0 },
    checks: [check],
  };
  const files = {
    'state.txt': 'bad\n',
    'tasks.json': JSON.stringify(TASKS),
    '.manyhands/config.yaml': JSON.stringify(settings),
  };
  const project = await makeScratch({ files });
  writeFiles(project.root, { 'agent.sh': AGENT });
  return project;
}

async function runDocument(project: Scratch, ...args: string[]): Promise<{ code: number | null; run: RunDocument }> {
  const { code, json, stderr } = await project.mh([...args, '--json']);
  return { code, run: RunDocument.parse(json, { error: () => stderr }) };
}

const hasStarted = (project: Scratch) => existsSync(join(project.root, 'prompts'));

describe.concurrent('a base on which a check fails', { timeout: 120_000 }, () => {
  it('holds many tasks before the first agent, and they run once the base is repaired', async () => {
    await using project = await scratch();
    const held = await runDocument(project, 'run', 'tasks.json');
    expect([held.code, held.run.status, held.run.tasks]).toEqual([4, 'held', []]);
    expect(held.run.attention[0]?.reason).toContain('the state is bad');
    expect(held.run.attention[0]?.nextStep).toContain('--option repair');
    expect(hasStarted(project)).toBe(false);
    const done = await runDocument(project, 'approve', held.run.run, '--option', 'repair');
    expect([done.code, done.run.status]).toEqual([0, 'done']);
    expect(done.run.tasks.map(({ key }) => key)).toEqual(['repair/1', 'task/1', 'task/2']);
    expect(project.git('show', `mh/${done.run.run}:two.txt`)).toBe('two');
  });

  it('is repaired without a question with --repair-base', async () => {
    await using project = await scratch();
    const { code, run } = await runDocument(project, 'run', 'tasks.json', '--repair-base');
    expect([code, run.status, run.tasks.length]).toEqual([0, 'done', 3]);
  });

  it('keeps the failures that it has with --known-red, by the names of the tests', async () => {
    const printed = 'test tests::odd ... FAILED\\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured\\n';
    await using project = await scratch(`printf 'running 1 test\\n${printed}'; exit 1`);
    const { code, run } = await runDocument(project, 'run', 'tasks.json', '--known-red');
    expect([code, run.status, run.knownRed]).toEqual([4, 'done', ['tests::odd']]);
    expect(run.reason).toContain('except for 1 test that failed on the base before');
    await using unnamed = await scratch();
    const refused = await runDocument(unnamed, 'run', 'tasks.json', '--known-red');
    expect([refused.code, refused.run.status]).toEqual([4, 'held']);
    expect(refused.run.attention[0]?.reason).toContain('does not name the tests that fail');
  });

  it.runIf(TESTS_ALL)('ends the run when the hold is rejected', async () => {
    await using project = await scratch();
    const held = await runDocument(project, 'run', 'tasks.json');
    const ended = await runDocument(project, 'reject', held.run.run, '--reason', 'not now');
    expect([ended.run.status, hasStarted(project)]).toEqual(['cancelled', false]);
  });

  it.runIf(TESTS_ALL)('is part of the task of a job', async () => {
    await using project = await scratch();
    const { code, run } = await runDocument(project, 'job', 'Fix the failing check');
    expect([code, run.status]).toEqual([0, 'done']);
    expect(readFileSync(join(project.root, 'prompts'), 'utf8')).toContain('the state is bad');
  });

  it('ends a rehearsal at once', async () => {
    await using project = await scratch();
    const { run } = await runDocument(project, 'run', 'tasks.json', '--rehearse');
    expect([run.status, run.tasks]).toEqual(['failed', []]);
    expect(run.reason).toContain('a rehearsal repairs no base');
  });
});

it('holds a job whose check cannot start, before the agent starts', { timeout: 120_000 }, async () => {
  await using project = await scratch('no-such-program --all');
  const { code, run } = await runDocument(project, 'job', 'Fix it');
  expect([code, run.status, run.tasks, hasStarted(project)]).toEqual([4, 'held', [], false]);
  expect(run.attention[0]?.reason).toMatch(/the command was not found: no-such-program.*--check or checks/);
});
