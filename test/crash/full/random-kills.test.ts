import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { RunDocument } from '../../../src/schema/document.ts';
import { randomFrom } from '../../support/random-from.ts';
import { makeScratch, type Scratch, writeFiles } from '../../support/scratch.ts';

const SEEDS = [1, 2, 3, 4, 5, 6].map((offset) => (Number(process.env.MANYHANDS_SEED ?? 0) || 100) + offset);
const COST = 0.25;
/** Records its begin, and its end as its last action. */
const AGENT = `#!/bin/sh
cat >/dev/null
echo begin >>"$HOME/agents"
sleep 0.5
echo 1 >made.txt
echo '{"usage":{"costUsd":${COST}}}'
echo end >>"$HOME/agents"
`;
const CONFIG = `
checks: ['sleep 0.3']
agents: { one: { kind: command, command: ../agent.sh } }
limits: { attempts: 9, retryDelaySeconds: 0, freeDiskMb: 0, freeMemoryMb: 0 }
`;
const ROUNDS = 5;
const MOST_RETRIES = 12;

type Target = 'engine' | 'git' | 'shim' | 'agent' | 'check';
const TARGETS: readonly Target[] = ['engine', 'git', 'shim', 'agent', 'check'];
/** What is damaged while no engine runs. */
const DAMAGES = ['nothing', 'empty-exit', 'ref-lock', 'unfinished-file'] as const;

it.each(SEEDS)(
  'whatever is killed or damaged, an agent that ended is paid once and the run ends (seed %i)',
  async (seed) => {
    const random = randomFrom(seed);
    await using scratch = await makeScratch({ files: { '.manyhands/config.yaml': CONFIG } });
    writeFiles(scratch.root, { 'agent.sh': AGENT });
    const actions: string[] = [];
    let running = scratch.start(['job', 'Make a file', '--json']);
    for (let round = 0; round < ROUNDS; round += 1) {
      await Promise.race([pause(200 + random() * 2_500), running.done]);
      const target = TARGETS[Math.floor(random() * TARGETS.length)] ?? 'engine';
      actions.push(`${target}: ${kill(scratch, target, random)}`);
      if (target !== 'engine') continue;
      running.kill('SIGKILL');
      await running.done;
      actions.push(damage(scratch, DAMAGES[Math.floor(random() * DAMAGES.length)] ?? 'nothing'));
      running = scratch.start(['resume', '--json']);
    }
    await running.done;
    const log = () => `${actions.join('\n')}\n${readFileSync(join(scratch.root, 'agents'), 'utf8')}`;
    let document = await show(scratch);
    for (let tries = 0; tries < MOST_RETRIES && document.status !== 'done'; tries += 1) {
      // Every outcome but success has a reason that is shown.
      const reasons = [document.reason, ...document.tasks.map(({ reason }) => reason)].filter(Boolean);
      expect(reasons, `${log()}\n${JSON.stringify(document)}`).not.toEqual([]);
      removeLocks(scratch);
      await scratch.mh([document.status === 'running' ? 'resume' : 'retry', '--json']);
      document = await show(scratch);
    }
    expect(document.status, `${log()}\n${JSON.stringify(document)}`).toBe('done');
    const agents = readFileSync(join(scratch.root, 'agents'), 'utf8').trim().split('\n');
    expect(agents.indexOf('end'), log()).toBe(agents.length - 1);
    const begun = agents.filter((line) => line === 'begin').length;
    expect(document.cost, log()).toBeGreaterThanOrEqual(COST);
    expect(document.cost, log()).toBeLessThanOrEqual(COST * begun);
    expect(scratch.git('show', `mh/${document.run}:made.txt`)).toBe('1');
    expect(await scratch.leftovers()).toEqual([]);
  },
);

async function show(scratch: Scratch): Promise<RunDocument> {
  return RunDocument.parse((await scratch.mh(['show', '--json'])).json);
}

/** Kills one process of a kind, if there is one; the engine is killed by the caller. */
function kill(scratch: Scratch, target: Target, random: () => number): string {
  const isTarget: Record<Target, (command: string) => boolean> = {
    engine: () => false,
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
  }
}

/** What the message of a run that waits for a lock tells its user to do. */
function removeLocks(scratch: Scratch): void {
  const heads = join(scratch.repo, '.git', 'refs', 'heads', 'mh');
  if (!existsSync(heads)) return;
  for (const name of readdirSync(heads)) if (name.endsWith('.lock')) rmSync(join(heads, name));
}
