import { existsSync } from 'node:fs';
import { readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { recordSpawn } from '../../core/attempt/decide-attempt.ts';
import type { AttemptState, TaskState } from '../../core/run/state.ts';
import { readPlainText } from '../../git/plain-file.ts';
import type { Home } from '../../home.ts';
import { liveness } from '../../process/identity.ts';
import { FILES } from '../../process/shim.ts';
import { terminate } from '../../process/terminate.ts';
import { ProcessRecord } from '../../schema/event.ts';
import { runStream } from '../../schema/ids.ts';
import type { Store } from '../../store/store.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import { attemptFolder } from './assignment.ts';
import { GRACE_MS } from './supervise.ts';

/** What an agent was started for, beside its output: it is found by this when the database has lost the events about it. */
const LaunchRecord = z.object({ agent: z.string(), base: z.string(), process: ProcessRecord });
type LaunchRecord = z.infer<typeof LaunchRecord>;

const RECORD = 'launch.json';
const ATTEMPT = /^([0-9a-z]{8})-\d+-\d+$/;

/** Records an agent that is about to start in the folder of its attempt. */
export async function writeLaunchRecord(
  folder: string,
  { agent, base }: AttemptState,
  process: ProcessRecord,
): Promise<void> {
  const record: LaunchRecord = { agent, base, process };
  await writeFile(join(folder, `${RECORD}.new`), JSON.stringify(record), { mode: 0o600 });
  await rename(join(folder, `${RECORD}.new`), join(folder, RECORD));
}

/**
 * Adopts the agent of an attempt that was claimed again because the database lost what followed: one that runs, or that
 * ended and whose output was not read. One that was started for something else is ended. Returns the task with its process.
 */
export async function adoptUnrecorded(
  ctx: EngineContext,
  run: ActiveRun,
  task: TaskState,
  attempt: AttemptState,
): Promise<TaskState | undefined> {
  const folder = attemptFolder(ctx, run, task, attempt.number);
  const record = await readLaunchRecord(folder);
  if (record === undefined) return undefined;
  const { process } = record;
  const isRunning = liveness(process.identity) === 'alive';
  if (!isRunning && !existsSync(join(folder, FILES.stdout))) return undefined;
  if (record.agent !== attempt.agent || record.base !== attempt.base) {
    await terminate({ ...process, folder }, { graceMs: GRACE_MS });
    return undefined;
  }
  await ctx.submit(run, (state) => recordSpawn(state, { task: task.spec.key, attempt: attempt.number, process }))
    .committed;
  return run.ledger.state.tasks[task.spec.key];
}

/** Ends the agents that run for runs which the database does not know; their workspaces and output are kept. */
export async function endUnknownAgents(
  home: Home,
  store: Pick<Store, 'read'>,
  { graceMs }: { graceMs: number } = { graceMs: GRACE_MS },
): Promise<void> {
  const isUnknown = (name: string) => {
    const run = ATTEMPT.exec(name)?.[1];
    return run !== undefined && store.read(runStream(run)).length === 0;
  };
  const end = async (name: string) => {
    const folder = join(home.attempts, name);
    const record = await readLaunchRecord(folder);
    if (record !== undefined) await terminate({ ...record.process, folder }, { graceMs });
  };
  // One that cannot be ended does not keep the others alive.
  const ended = await Promise.allSettled((await readdir(home.attempts)).filter(isUnknown).map(end));
  for (const each of ended) if (each.status === 'rejected') throw each.reason;
}

async function readLaunchRecord(folder: string): Promise<LaunchRecord | undefined> {
  // Attempts of earlier versions have no record, and a damaged one names no process.
  const text = await readPlainText(join(folder, RECORD)).catch(() => '');
  try {
    return LaunchRecord.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
