import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { RunDocument, RunSummary } from '../../src/schema/document.ts';
import { makeScratch, type Scratch, writeFiles } from '../support/scratch.ts';

const LIMITS = { retryDelaySeconds: 0, freeDiskMb: 0, freeMemoryMb: 0 };

async function scratch(settings: object, files: Record<string, string> = {}): Promise<Scratch> {
  const config = JSON.stringify({ limits: LIMITS, ...settings });
  return makeScratch({ files: { 'note.md': 'A note.\n', '.manyhands/config.yaml': config, ...files } });
}

/** A command that prints a text each second until the file `go-<name>` exists. */
const until = (name: string, text: string) => `until test -e "$HOME/go-${name}"; do echo ${text}; sleep 1; done`;

/** The longest time without a line on standard error, in seconds, by the times at the beginning of the lines. */
function longestGap(stderr: string): number {
  const times = [...stderr.matchAll(/^(\d\d):(\d\d):(\d\d) {2}/gm)].map(
    ([, hours, minutes, seconds]) => Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds),
  );
  return Math.max(...times.slice(1).map((time, index) => time - (times[index] ?? time)));
}

const plays = (sleep: number) => [
  { role: 'implement', steps: [{ say: 'I begin' }, { sleep }, { edit: { path: 'note.md', write: 'Another.\n' } }] },
];

describe.concurrent('a run with a slow set-up, a slow check and a slow agent', { timeout: 180_000 }, () => {
  it('reports what it does and how far it is, and what another run waits for', async () => {
    const setup = `${until('setup', 'package')}; mkdir -p node_modules && echo x >node_modules/x`;
    await using project = await scratch(
      {
        agents: { hand: { kind: 'command', command: '../agent.sh' } },
        limits: { ...LIMITS, agents: 1 },
        workspace: { setup: [setup] },
        checks: ['for i in 1 2 3 4; do echo test $i; sleep 1; done'],
      },
      { '.gitignore': 'node_modules\n' },
    );
    writeFiles(project.root, { 'agent.sh': `#!/bin/sh\n${until('agent', 'I work')}; date +%N >note.md\n` });
    const go = (name: string) => writeFiles(project.root, { [`go-${name}`]: '' });
    const first = project.start(['job', 'Write']);
    await first.received('s): package');
    const shown = RunDocument.parse((await project.mh(['show', '--json'])).json);
    expect([shown.status, shown.waitsFor]).toEqual(['running', null]);
    expect(shown.activity.at(-1)).toMatchObject({ kind: 'setup', tasks: [], what: `set-up: ${setup}` });
    expect((await project.mh(['show'])).stdout).toMatch(/Now\n {2}run: set-up: until/);
    go('setup');
    await first.received('s): I work');
    const second = project.start(['job', 'Write']);
    const third = project.start(['job', 'Later', '--after', shown.run]);
    await second.received('waits: 1 of 1 slots busy');
    await third.received(`waits for run ${shown.run}`);
    const listed = z.array(RunSummary).parse((await project.mh(['ls', '--json'])).json);
    const waiting = listed.find(({ title, run }) => title === 'Write' && run !== shown.run);
    expect(waiting).toMatchObject({ status: 'running', waitsFor: { kind: 'slots', text: '1 of 1 slots busy' } });
    expect((await project.mh(['ls'])).stdout).toMatch(/waiting .*\(waits: 1 of 1 slots busy\)/);
    go('agent');
    for (const started of [first, second, third]) {
      const { code, stderr } = await started.done;
      expect([code, stderr]).toEqual([0, stderr]);
      // A busy machine may delay a line; the exact times are tested with a clock that is not real.
      expect(longestGap(stderr), stderr).toBeLessThanOrEqual(10);
    }
    const { stderr } = await first.done;
    expect(stderr).toMatch(/run {2}set-up: .* \(\d.*s\): package/);
    expect(stderr).toMatch(/run {2}check on the base: for .* \(\d.*s\)/);
    expect(stderr).toMatch(/job\/1 {2}hand works \(\d.*s\): I work/);
    expect(stderr).toMatch(/job\/1 {2}check on the candidate: for .* \(\d.*s\)/);
    const { stdout: logs } = await project.mh(['logs', shown.run]);
    expect(logs).toContain('run [SETUP] package');
    expect((await project.mh(['logs', shown.run, '--task', 'job/1'])).stdout).toContain('run [SETUP] package');
    expect(logs).toMatch(/run \[SETUP\] exit code 0 after \d.* s; complete output: \//);
    await project.mh(['config', 'set', 'limits.freeDiskMb', '1000000000']);
    const short = project.start(['job', 'Write once more']);
    await short.received('waits: less than 1000000000 MB of disk space is free');
    await project.mh(['cancel']);
    expect((await short.done).stderr).not.toContain('hand works');
  });

  it('shows the last lines of a failed set-up like those of a failed check', async () => {
    await using project = await scratch(
      { workspace: { setup: ['seq 30; echo no network; exit 7'] }, checks: ['true', 'test -d .'] },
      { 'scenario.yaml': JSON.stringify({ plays: plays(0) }) },
    );
    const { code, stderr } = await project.mh(['job', 'Write', '--scenario', 'scenario.yaml']);
    expect(code).toBe(4);
    expect(stderr.match(/command: seq 30/g)).toHaveLength(2);
    expect(stderr).toMatch(/run {2}needs you: The set-up command .*; next: fix it, then manyhands approve/);
    const { stdout } = await project.mh(['show']);
    for (const text of [stderr, stdout]) {
      expect(text).toContain('command: seq 30; echo no network; exit 7');
      expect(text).toMatch(/exit code 7 after/);
      expect(text).toMatch(/\b12\n(.|\n)*\b30\n\s+no network/);
    }
    expect((await project.mh(['logs'])).stdout).toContain('no network');
  });

  it('is shown as scheduled for a time', async () => {
    await using project = await scratch({ checks: ['true'] }, { 'scenario.yaml': JSON.stringify({ plays: plays(0) }) });
    const started = project.start(['job', 'Write', '--scenario', 'scenario.yaml', '--at', '+1h']);
    await started.received('scheduled for');
    const shown = RunDocument.parse((await project.mh(['show', '--json'])).json);
    expect(shown).toMatchObject({ status: 'running', waitsFor: { kind: 'time', task: 'job/1', until: shown.nextAt } });
    expect((await project.mh(['ls'])).stdout).toMatch(/scheduled .*\(scheduled for /);
    expect((await project.mh(['show'])).stdout).toMatch(/scheduled for .*\d\d:\d\d \(in /);
    await project.mh(['cancel', shown.run]);
    await started.done;
  });
});

describe.concurrent('a run without money for its review', { timeout: 120_000 }, () => {
  it('is done and not reviewed, exits with 4 and is not landed automatically', async () => {
    const plays = ['1.1', '1.2', '1.3'].map((name) => ({
      task: `implement/${name}`,
      steps: [{ edit: { path: `${name}.md`, write: 'A note.\n' } }, { use: { costUsd: 0.45 } }],
    }));
    await using project = await scratch(
      { checks: ['test -f note.md'], budget: { attempt: 0.5 }, land: 'merge' },
      { 'scenario.yaml': JSON.stringify({ plays }) },
    );
    const { code, json, stderr } = await project.mh([
      ...['do', 'Write notes', '--scenario', 'scenario.yaml', '--max-parallel', '1', '--budget', '1.6', '--json'],
    ]);
    const run = RunDocument.parse(json, { error: () => stderr });
    expect([code, run.status, run.reviewed, run.landed]).toEqual([4, 'done', false, null]);
    expect(run.reason).toContain('not reviewed: review/1 was abandoned, out of budget');
    for (const command of ['show', 'report'])
      expect((await project.mh([command])).stdout).toContain('was abandoned, out of budget');
  });
});
