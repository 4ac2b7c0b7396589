import { readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { RunDocument } from '../../src/schema/document.ts';
import { type Finished, makeScratch, type Scratch, writeFiles } from '../support/scratch.ts';

/** Prints 30 numbered lines and fails where the files in the condition exist. */
const check = (condition: string) =>
  `#!/bin/sh\n${condition} || exit 0\ni=1\nwhile [ $i -le 30 ]; do echo "output line $i."; i=$((i + 1)); done\nexit 3\n`;
const SETTINGS = [
  'agents: { hand: { kind: command, command: ../agent.sh } }',
  'limits: { retryDelaySeconds: 0, freeDiskMb: 0, freeMemoryMb: 0, attempts: 1 }',
  'review: { rounds: 0 }',
  'baseRed: block',
  'checks: ["sh check.sh"]',
  '',
].join('\n');

async function scratch(condition: string): Promise<Scratch> {
  const project = await makeScratch({
    files: { 'base.txt': 'base\n', '.manyhands/config.yaml': SETTINGS, 'check.sh': check(condition) },
  });
  writeFiles(project.root, { 'agent.sh': '#!/bin/sh\ncat >/dev/null\necho work >work.txt\n' });
  return project;
}

/** The command, the exit code, the last 20 lines and no earlier one, and the file with the complete output. */
function expectOutput(text: string): string {
  expect(text).toContain('command: sh check.sh');
  expect(text).toMatch(/exit code 3 after \d/);
  expect(text).toContain('the last 20 lines; 10 lines before them are omitted');
  expect(text).toMatch(/output line 11\.[\s\S]*output line 30\./);
  expect(text).not.toContain('output line 10.');
  const file = /complete output: (\S+)/.exec(text)?.[1] ?? '';
  expect(readFileSync(file, 'utf8')).toMatch(/^output line 1\.\n[\s\S]*output line 30\.\n$/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  return file;
}

/** The same, once in the progress and once in the summary below it. */
function expectOutputs(text: string): void {
  const [progress = '', summary = ''] = text.split('Failed checks');
  expectOutput(progress);
  expectOutput(summary);
}

async function documentOf(project: Scratch, finished: Finished): Promise<RunDocument> {
  const shown = await project.mh(['show', '--json']);
  expect(shown.code, finished.stderr).toBe(0);
  return RunDocument.parse(shown.json);
}

describe.concurrent('the output of a check that fails', { timeout: 120_000 }, () => {
  it('on the base is in the progress, the summary, show, logs and the report', async () => {
    await using project = await scratch('true');
    const held = await project.mh(['job', 'Work']);
    expect(held.code, held.stderr).toBe(4);
    expectOutputs(held.stderr);
    const { run, attention } = await documentOf(project, held);
    expect(attention[0]?.nextStep).toBe(`manyhands show ${run}, then manyhands approve ${run}`);
    expectOutput((await project.mh(['show', run])).stdout);
    expectOutput((await project.mh(['logs', run])).stdout);
    const report = (await project.mh(['report', run])).stdout;
    expectOutput(report.replaceAll('\\', '').replaceAll('`', ''));
    expect(report).not.toContain('No check ran');
  });

  it('on the work of an attempt is shown by every hint, and stays until the run is cleaned up', async () => {
    await using project = await scratch('test -e work.txt');
    const failed = await project.mh(['job', 'Work']);
    expect(failed.code, failed.stderr).toBe(1);
    expectOutputs(failed.stderr);
    const { run, tasks } = await documentOf(project, failed);
    const key = tasks.find(({ status }) => status === 'failed')?.key ?? '';
    expect(failed.stderr).toContain(`manyhands logs ${run} --task ${key}`);
    expectOutput((await project.mh(['logs', run, '--task', key])).stdout);
    expect(tasks.find((task) => task.key === key)?.diagnosis?.nextStep).toContain(`manyhands show ${run}`);
    const file = expectOutput((await project.mh(['show', run])).stdout);
    const report = (await project.mh(['report', run])).stdout;
    expectOutput(report.replaceAll('\\', '').replaceAll('`', ''));
    expect(report).not.toContain('No check ran');
    expect((await project.mh(['clean', '--older-than', '0', '--apply'])).code).toBe(0);
    expect(() => statSync(file)).toThrow();
  });

  it('on the merge with the base is shown when the run does not land', async () => {
    await using project = await scratch('test -e work.txt -a -e other.txt');
    const done = await project.mh(['job', 'Work']);
    expect(done.code, done.stderr).toBe(0);
    const { run } = await documentOf(project, done);
    writeFiles(project.repo, { 'other.txt': 'other\n' });
    project.git('add', '--all');
    project.git('commit', '--quiet', '--message=Other');
    const landing = await project.mh(['land', run]);
    expect(landing.code, landing.stdout).not.toBe(0);
    expect(landing.stderr).toContain(`manyhands show ${run}`);
    expectOutput((await project.mh(['show', run])).stdout);
    expectOutput((await project.mh(['logs', run])).stdout);
    const report = (await project.mh(['report', run])).stdout;
    expectOutput(report.replaceAll('\\', '').replaceAll('`', ''));
  });
});
