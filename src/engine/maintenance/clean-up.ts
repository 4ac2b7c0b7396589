import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunState } from '../../core/run/state.ts';
import { AppError, messageOf } from '../../errors.ts';
import { runStream } from '../../schema/ids.ts';
import { placeOf, removeAttemptWorkspace, saveAttemptWorkspace } from '../attempt/attempt-workspace.ts';
import type { EngineContext } from '../loop/context.ts';
import { loadRun } from '../loop/ledger.ts';
import { activate } from '../start/open-run.ts';

export type Cleaning = { project: string | undefined; olderThanDays: number; apply: boolean };
export type CleanItem = { what: string; path: string; bytes: number; reason: string };

const DAY_MS = 86_400_000;
const NAMED = /^([0-9a-z]{8})-(\d+|gate)\b/;

/** Lists, and if asked removes, what ended runs left: workspaces (saved first), raw output, checkouts. Work under refs is never touched. */
export async function cleanUp(
  ctx: EngineContext,
  cleaning: Cleaning,
): Promise<{ items: CleanItem[]; bytes: number; applied: boolean }> {
  const items: CleanItem[] = [];
  const staying: string[] = [];
  for (const name of await entries(ctx.home.workspaces)) {
    try {
      const item = await cleanWorkspace(ctx, name, cleaning);
      if (item !== undefined) items.push(item);
    } catch (error) {
      staying.push(`${join(ctx.home.workspaces, name)}: ${messageOf(error)}`);
    }
  }
  for (const name of await entries(ctx.home.attempts)) {
    const path = join(ctx.home.attempts, name);
    if (endedRun(ctx, name, cleaning) === undefined) continue;
    items.push({ what: 'raw output', path, bytes: await treeBytes(path), reason: 'it is in the transcript' });
    if (cleaning.apply) await rm(path, { recursive: true, force: true });
  }
  if (staying.length > 0) {
    const rest = `the other ${items.length} ${items.length === 1 ? 'entry was' : 'entries were'} removed`;
    throw new AppError('REFUSED', `What cannot be saved stays, ${rest}: ${staying.join('; ')}`, { staying });
  }
  return { items, bytes: items.reduce((sum, item) => sum + item.bytes, 0), applied: cleaning.apply };
}

async function cleanWorkspace(ctx: EngineContext, name: string, cleaning: Cleaning): Promise<CleanItem | undefined> {
  const state = endedRun(ctx, name, cleaning);
  const ordinal = Number(NAMED.exec(name)?.[2]);
  const key = state?.order[ordinal - 1];
  if (state === undefined || key === undefined || name.includes('.excluded')) return undefined;
  const path = join(ctx.home.workspaces, name);
  const item = {
    what: 'workspace',
    path,
    bytes: await treeBytes(path),
    reason: 'its run has ended and its work is saved',
  };
  if (!cleaning.apply) return item;
  const run = await activate(ctx, state.start.run);
  const task = run.ledger.state.tasks[key];
  if (task === undefined) return undefined;
  const number = Math.max(1, task.attempts.length);
  await saveAttemptWorkspace(run, task, await placeOf(ctx, run, task), { number, save: ctx.world.now() });
  await removeAttemptWorkspace(ctx, run, task);
  return item;
}

/** The run that a folder belongs to, if it ended long enough ago and is of the project that is meant. */
function endedRun(ctx: EngineContext, name: string, cleaning: Cleaning): RunState | undefined {
  const run = NAMED.exec(name)?.[1];
  if (run === undefined || ctx.store.read(runStream(run)).length === 0) return undefined;
  const state = loadRun(ctx.store, runStream(run));
  if (state.status.kind !== 'ended') return undefined;
  if (cleaning.project !== undefined && state.start.project.id !== cleaning.project) return undefined;
  return ctx.world.now() - state.status.at >= cleaning.olderThanDays * DAY_MS ? state : undefined;
}

async function entries(folder: string): Promise<string[]> {
  const found = await lstat(folder).catch(() => undefined);
  return found?.isDirectory() ? readdir(folder) : [];
}

/** How many bytes a folder holds; links are not followed. What disappears meanwhile counts nothing. */
async function treeBytes(path: string): Promise<number> {
  const stat = await lstat(path).catch(() => undefined);
  if (stat === undefined || !stat.isDirectory()) return stat?.size ?? 0;
  const names = await readdir(path).catch(() => []);
  let bytes = 0;
  for (const name of names) bytes += await treeBytes(join(path, name));
  return bytes;
}
