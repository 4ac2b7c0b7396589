import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { LogLine, RunDocument } from '../../src/schema/document.ts';
import { UsageRow } from '../../src/schema/usage.ts';
import { makeScratch, type Scratch } from '../support/scratch.ts';

/** The folder of the attempt, in which its output is stored. */
const FOLDER = 'folder=$(dirname "$(readlink /proc/self/fd/0)")';
const KILL_COPIER = `kill_copier() {
  for fd in /proc/[0-9]*/fd/0; do
    [ "$(readlink "$fd")" = "$folder/stdout.pipe" ] && pid=\${fd#/proc/} && kill -9 "\${pid%%/*}"
  done
}`;
const USAGE = `echo '{"usage":{"costUsd":0.01}}'`;

/** A program that edits `work.txt`, or not, and whose output is lost. */
function project(...lines: string[]): Promise<Scratch> {
  const script = ['#!/bin/sh', "trap '' PIPE", FOLDER, KILL_COPIER, 'cat >/dev/null', ...lines, 'exit 0', ''];
  const settings = [
    'agents:',
    '  hand: { kind: command, command: ./agent.sh }',
    'limits: { retryDelaySeconds: 0, attempts: 1, freeDiskMb: 0 }',
    '',
  ];
  const files = { 'agent.sh': script.join('\n'), '.manyhands/config.yaml': settings.join('\n') };
  return makeScratch({ files });
}

async function job(scratch: Scratch, ...flags: string[]): Promise<RunDocument> {
  const { json, stderr } = await scratch.mh(['job', 'Work', '--agent', 'hand', '--json', ...flags]);
  const run = RunDocument.safeParse(json);
  if (!run.success) throw new Error(stderr);
  return run.data;
}

async function transcriptOf({ mh }: Scratch, run: string): Promise<string[]> {
  const { json } = await mh(['logs', run, '--json']);
  return LogLine.array()
    .parse(json)
    .map(({ text }) => text);
}

test('work whose output could not be copied counts by its checks, and its usage at the reservation', async () => {
  await using scratch = await project('echo done > work.txt', 'kill_copier', USAGE);
  const run = await job(scratch, '--check', 'test -f work.txt', '--budget', '2');
  expect([run.status, run.cost, run.tasks[0]?.attempts]).toEqual(['done', 1, 1]);
  const [row] = UsageRow.array().parse((await scratch.mh(['usage', '--json'])).json);
  expect(row).toMatchObject({ attempts: 1, unknown: 1, cost: 1 });
  expect(await transcriptOf(scratch, run.run)).toContain('Output is missing: the process that stores it was ended');
});

test('an agent without work whose output could not be copied runs again and has not failed', async () => {
  const once = '[ -e "$HOME/second" ] || { : > "$HOME/second"; kill_copier; exit 0; }';
  await using scratch = await project(once, 'echo done > work.txt', USAGE);
  const run = await job(scratch, '--check', 'test -f work.txt');
  expect([run.status, run.tasks[0]?.attempts]).toEqual(['done', 2]);
});

test('an answer that was cut is none', async () => {
  await using scratch = await project('echo The first half', 'sleep 0.2', 'kill_copier', 'echo and the second');
  const run = await job(scratch, '--role', 'research');
  expect([run.status, run.reason]).toEqual(['failed', expect.stringContaining('Output is missing')]);
});

const canMount = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;

test.runIf(canMount)(
  'the usage of an agent that ran while the disk was full is unknown, also when there is space again',
  async () => {
    const fill = 'sleep 0.3; dd if=/dev/zero of="$folder/fill" bs=4k 2>/dev/null';
    const flood = 'head -c 200000 /dev/zero | tr "\\0" x; echo';
    await using scratch = await project('echo done > work.txt', fill, flood, USAGE, 'rm "$folder/fill"');
    mkdirSync(scratch.home, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'mode=0700,size=24m', 'tmpfs', scratch.home]);
    try {
      const run = await job(scratch, '--check', 'test -f work.txt', '--budget', '2');
      expect([run.status, run.cost]).toEqual(['done', 1]);
      expect(await transcriptOf(scratch, run.run)).toContainEqual(expect.stringMatching(/^Output is missing: .* full/));
    } finally {
      execFileSync('umount', ['--lazy', scratch.home]);
    }
  },
);
