import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeScratch } from '../support/scratch.ts';

const AGENT = '#!/bin/sh\ncat >/dev/null\necho done > work.txt\n';
const SETTINGS = 'agents:\n  hand: { kind: command, command: ./agent.sh }\n';
const project = () => makeScratch({ files: { 'agent.sh': AGENT, '.manyhands/config.yaml': SETTINGS } });
const JOB = ['job', 'Work', '--agent', 'hand'];
/** A shell that sets a limit and then becomes the program. */
const limited = (limit: string) => ['sh', '-c', `${limit} && exec "$@"`, 'sh'];

test.each(['40', '30'])('a limit of %s open files is named, with how to raise it', async (limit) => {
  await using scratch = await project();
  const { code, stderr } = await scratch.start(JOB, { prefix: limited(`ulimit -n ${limit}`) }).done;
  expect([code, stderr]).toEqual([3, expect.stringContaining('Too many open files while')]);
  expect(stderr).toContain('ulimit -n 4096');
});

test('a limit of the size of files is named, with how to raise it', async () => {
  await using scratch = await project();
  const { code, stderr } = await scratch.start(JOB, { prefix: limited('ulimit -f 8') }).done;
  expect([code, stderr]).toEqual([3, expect.stringContaining('could not be written')]);
  expect(stderr).toContain('ulimit -f unlimited');
});

test('a current folder that was removed is named, and not needed where --dir names another one', async () => {
  await using scratch = await project();
  const removed = join(scratch.root, 'removed');
  mkdirSync(removed);
  const inRemoved = (args: readonly string[]) => {
    mkdirSync(removed, { recursive: true });
    const prefix = ['sh', '-c', `rmdir '${removed}' && exec "$@"`, 'sh'];
    return scratch.start(args, { cwd: removed, prefix }).done;
  };
  const { code, stderr } = await inRemoved(['ls']);
  expect([code, stderr]).toEqual([3, expect.stringContaining('The current folder does not exist any more')]);
  expect((await inRemoved(['ls', '--dir', scratch.repo])).code).toBe(0);
});

const canMount = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;

test.runIf(canMount)('a home folder that is read-only is named', async () => {
  await using scratch = await project();
  const home = join(scratch.root, 'home');
  mkdirSync(home);
  const mount = `mount -t tmpfs -o ro tmpfs '${home}'`;
  const prefix = ['unshare', '--mount', 'sh', '-c', `${mount} && exec "$@"`, 'sh'];
  const env = { HOME: home, MANYHANDS_HOME: '' };
  const { code, stderr } = await scratch.start(JOB, { prefix, env }).done;
  expect([code, stderr]).toEqual([3, expect.stringMatching(/No permission while creating the folder/)]);
});
