import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { RunDocument } from '../../../src/schema/document.ts';
import { expectContainment, SHARED_FOLDER } from '../../support/contained.ts';
import { randomFrom } from '../../support/random-from.ts';
import { makeScratch, type Scratch, writeFiles } from '../../support/scratch.ts';

const SEEDS = Array.from({ length: 12 }, (_, index) => index + 1).map(
  (offset) => (Number(process.env.MANYHANDS_SEED ?? 0) || 100) + offset,
);
const COST = 0.25;
/**
 * Records its begin, and its end as its last action. Where its work cannot be written it does not come to its end, and
 * neither where its shim was killed: then nothing can know how it ended.
 */
const AGENT = `#!/bin/sh
set -e
cat >/dev/null
echo begin >>"$HOME/${SHARED_FOLDER}/agents"
sleep 0.5
echo 1 >made.txt
echo '{"usage":{"costUsd":${COST}}}'
read -r _ _ _ parent _ </proc/$$/stat
[ "$parent" = "$PPID" ]
echo end >>"$HOME/${SHARED_FOLDER}/agents"
`;
const CONFIG = `
checks: ['sleep 0.3']
agents: { one: { kind: command, command: ../programs/agent.sh } }
limits: { attempts: 9, retryDelaySeconds: 0, freeDiskMb: 0, freeMemoryMb: 0 }
`;
const ROUNDS = 6;
const MOST_RETRIES = 12;

/** Only where a file system can be mounted can one be full for root too. */
const canMount = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;
const DISK_MB = 96;
const CHUNKS = [1024 * 1024, 4096, 1];

type Target = 'engine' | 'git' | 'shim' | 'agent' | 'check' | 'disk';
const TARGETS: readonly Target[] = [
  'engine',
  'engine',
  'git',
  'shim',
  'agent',
  'check',
  ...(canMount ? (['disk'] as const) : []),
];
/** What is damaged while no engine runs. */
const DAMAGES = [
  'nothing',
  'empty-exit',
  'ref-lock',
  'unfinished-file',
  'launch-record',
  'mirror-gone',
  'mirror-lock',
  'mirror-object',
  'workspace-lock',
] as const;

it.each(SEEDS)(
  'whatever is killed or damaged, an agent that ended is paid once and the run ends (seed %i)',
  async (seed) => {
    const random = randomFrom(seed);
    await using scratch = await makeScratch({ files: { '.manyhands/config.yaml': CONFIG } });
    using _disk = mountDisk(scratch);
    writeFiles(scratch.root, { 'programs/agent.sh': AGENT });
    const actions: string[] = [];
    let running = scratch.start(['job', 'Make a file', '--json']);
    for (let round = 0; round < ROUNDS; round += 1) {
      await Promise.race([pause(200 + random() * 2_500), running.done]);
      const target = TARGETS[Math.floor(random() * TARGETS.length)] ?? 'engine';
      if (target === 'disk') {
        actions.push(`full disk: ${fillDisk(scratch)} bytes`);
        await Promise.race([pause(random() * 3_000), running.done]);
        rmSync(join(scratch.home, 'filler'));
        continue;
      }
      actions.push(`${target}: ${kill(scratch, target, random)}`);
      if (target !== 'engine') continue;
      running.kill('SIGKILL');
      await running.done;
      actions.push(damage(scratch, DAMAGES[Math.floor(random() * DAMAGES.length)] ?? 'nothing'));
      running = scratch.start(['resume', '--json']);
    }
    const last = await running.done;
    if ((await scratch.mh(['ls', '--json'])).stdout.trim() === '[]') {
      // It ended before its run was recorded, which it reports unless it was killed.
      expect(last.signal ?? outputOf(last), actions.join('\n')).not.toBe('');
      await scratch.mh(['job', 'Make a file', '--json']);
    }
    const record = join(scratch.root, SHARED_FOLDER, 'agents');
    const begun = () => (existsSync(record) ? readFileSync(record, 'utf8') : '');
    const log = () => `${actions.join('\n')}\n${begun()}`;
    let error = outputOf(last);
    let document = await show(scratch);
    for (let tries = 0; tries < MOST_RETRIES && document.status !== 'done'; tries += 1) {
      // Every outcome but success has a reason that is shown; a run whose engine ended has the message of that engine.
      const own = document.status === 'running' ? [error] : [];
      const reasons = [document.reason, ...document.tasks.map(({ reason }) => reason), ...own].filter(Boolean);
      expect(reasons, `${log()}\n${JSON.stringify(document)}`).not.toEqual([]);
      removeLocks(scratch);
      // A killed check looks flaky, and work that passed a flaky check waits for a person.
      const command = document.status === 'running' ? 'resume' : document.status === 'held' ? 'approve' : 'retry';
      error = outputOf(await scratch.mh([command, '--json']));
      actions.push(`${command}: ${document.reason} ${error.slice(0, 300)}`);
      document = await show(scratch);
    }
    expect(document.status, `${log()}\n${JSON.stringify(document)}`).toBe('done');
    expectContainment(scratch.isContained, document);
    const agents = begun().trim().split('\n');
    // Without its exit code the work of an agent decides, also of one that did not come to its end.
    const end = agents.indexOf('end');
    if (end >= 0) expect(agents.slice(end + 1), log()).toEqual([]);
    else expect(log()).toMatch(/^emptied [1-9]/m);
    const starts = agents.filter((line) => line === 'begin').length;
    if (end >= 0) expect(document.cost, log()).toBeGreaterThanOrEqual(COST);
    expect(document.cost, log()).toBeLessThanOrEqual(COST * starts);
    // An agent that a full disk ended has left an empty file.
    const made = scratch.git('show', `mh/${document.run}:made.txt`);
    expect(end >= 0 ? ['1'] : ['1', ''], log()).toContain(made);
    expect(await scratch.leftovers()).toEqual([]);
  },
);

/** What a command printed: with --json an error is on stdout. */
function outputOf({ stdout, stderr }: { stdout: string; stderr: string }): string {
  return `${stderr.trim()} ${stdout.trim()}`.trim();
}

async function show(scratch: Scratch): Promise<RunDocument> {
  const { json, stderr } = await scratch.mh(['show', '--json']);
  const document = RunDocument.safeParse(json);
  return document.success ? document.data : expect.fail(`show: ${JSON.stringify(json)} ${stderr}`);
}

/** Kills one process of a kind, if there is one; the engine is killed by the caller. */
function kill(scratch: Scratch, target: Target, random: () => number): string {
  const isTarget: Record<Target, (command: string) => boolean> = {
    engine: () => false,
    disk: () => false,
    git: (command) => /^\S*git /.test(command),
    shim: (command) => command.includes(` manyhands ${scratch.home}`),
    agent: (command) => command.endsWith('agent.sh'),
    check: (command) => command === 'sleep 0.3',
  };
  const found = scratch.alive().filter(({ command }) => isTarget[target](command));
  const chosen = found[Math.floor(random() * found.length)];
  if (chosen === undefined) return 'none';
  try {
    process.kill(chosen.pid, 'SIGKILL');
  } catch {
    return 'it had ended';
  }
  return chosen.command.slice(0, 80);
}

/** Leaves files as a full disk or a killed git does: an empty exit code, a lock, a file that is not complete. */
function damage(scratch: Scratch, what: (typeof DAMAGES)[number]): string {
  const attempts = join(scratch.home, 'attempts');
  const folders = existsSync(attempts) ? readdirSync(attempts).map((name) => join(attempts, name)) : [];
  switch (what) {
    case 'nothing':
      return 'no damage';
    case 'empty-exit': {
      const files = folders.map((folder) => join(folder, 'exit')).filter((file) => existsSync(file));
      for (const file of files) writeFileSync(file, '');
      return `emptied ${files.length} exit files`;
    }
    case 'ref-lock': {
      const heads = join(scratch.repo, '.git', 'refs', 'heads', 'mh');
      if (existsSync(heads)) writeFileSync(join(heads, `${readdirSync(heads)[0] ?? 'x'}.lock`), '');
      return 'left a lock of a branch';
    }
    case 'unfinished-file':
      for (const folder of folders) writeFileSync(join(folder, 'prompt.md.tmp'), 'half');
      return 'left incomplete files';
    case 'launch-record':
      for (const folder of folders)
        if (existsSync(join(folder, 'exit'))) writeFileSync(join(folder, 'launch.json'), '{"agent":');
      return 'cut the records of agents';
    case 'mirror-gone':
      rmSync(join(scratch.home, 'mirrors'), { recursive: true, force: true });
      mkdirSync(join(scratch.home, 'mirrors'), { mode: 0o700 });
      return 'removed the mirrors';
    case 'mirror-lock':
      for (const mirror of foldersIn(join(scratch.home, 'mirrors')))
        writeFileSync(join(mirror, 'packed-refs.lock'), '');
      return 'left a lock of packed refs';
    case 'mirror-object':
      for (const mirror of foldersIn(join(scratch.home, 'mirrors'))) removeObject(mirror);
      return 'removed an object of each mirror';
    case 'workspace-lock':
      for (const workspace of foldersIn(join(scratch.home, 'workspaces')))
        if (existsSync(join(workspace, '.git'))) writeFileSync(join(workspace, '.git', 'index.lock'), '');
      return 'left locks of indexes';
  }
}

function foldersIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name));
}

/** Removes the first loose object of a repository, as a damaged file system does. */
function removeObject(mirror: string): void {
  const [folder] = foldersIn(join(mirror, 'objects')).filter((path) => /\/[0-9a-f]{2}$/.test(path));
  const [name] = folder === undefined ? [] : readdirSync(folder);
  if (folder !== undefined && name !== undefined) rmSync(join(folder, name), { force: true });
}

/** A small file system of its own at the data directory, until it is disposed of. */
function mountDisk(scratch: Scratch): Disposable {
  if (!canMount) return { [Symbol.dispose]: () => {} };
  mkdirSync(scratch.home, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', `mode=0700,size=${DISK_MB}m`, 'tmpfs', scratch.home]);
  return { [Symbol.dispose]: () => execFileSync('umount', ['--lazy', scratch.home]) };
}

/** Writes until not a byte is free, and returns how much that was. */
function fillDisk(scratch: Scratch): number {
  let written = 0;
  for (const size of CHUNKS) {
    const chunk = Buffer.alloc(size);
    try {
      for (; written < DISK_MB * 1024 * 1024; written += size) appendFileSync(join(scratch.home, 'filler'), chunk);
    } catch {
      // No chunk of this size fits any more.
    }
  }
  return written;
}

/** What the message of a run that waits for a lock tells its user to do. */
function removeLocks(scratch: Scratch): void {
  const heads = join(scratch.repo, '.git', 'refs', 'heads', 'mh');
  if (existsSync(heads)) for (const name of readdirSync(heads)) if (name.endsWith('.lock')) rmSync(join(heads, name));
  for (const mirror of foldersIn(join(scratch.home, 'mirrors')))
    rmSync(join(mirror, 'packed-refs.lock'), { force: true });
  for (const workspace of foldersIn(join(scratch.home, 'workspaces')))
    rmSync(join(workspace, '.git', 'index.lock'), { force: true });
}
