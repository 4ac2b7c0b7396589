import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunState } from '../../core/run/state.ts';
import { AppError, messageOf } from '../../errors.ts';
import { runStream } from '../../schema/ids.ts';
import { attemptWorkspaceOf, removeAttemptWorkspace, saveAttemptWorkspace } from '../attempt/attempt-workspace.ts';
import type { EngineContext } from '../loop/context.ts';
import { loadRun } from '../loop/ledger.ts';
import { openRun } from '../start/open-run.ts';

export type CleanUpRequest = { project: string | undefined; olderThanDays: number; apply: boolean };
export type CleanItem = { what: string; path: string; bytes: number; reason: string };

const DAY_MS = 86_400_000;
const NAMED = /^([0-9a-z]{8})-(\d+|gate)\b/;

/** Lists, and with `apply` removes, what ended runs left: workspaces (saved first), raw output, checkouts. Work under refs is never touched. */
export async function cleanUp(
  ctx: EngineContext,
  request: CleanUpRequest,
): Promise<{ items: CleanItem[]; bytes: number; applied: boolean }> {
  const items: CleanItem[] = [];
  const unsaved: string[] = [];
  for (const name of await entries(ctx.home.workspaces)) {
    try {
      const item = await cleanWorkspace(ctx, name, request);
      if (item !== undefined) items.push(item);
    } catch (error) {
      unsaved.push(`${join(ctx.home.workspaces, name)}: ${messageOf(error)}`);
    }
  }
  for (const name of await entries(ctx.home.attempts)) {
    const path = join(ctx.home.attempts, name);
    if (endedRun(ctx, name, request) === undefined) continue;
    items.push({ what: 'raw output', path, bytes: await treeBytes(path), reason: 'it is in the transcript' });
    if (request.apply) await rm(path, { recursive: true, force: true });
  }
  if (unsaved.length > 0) {
    const rest = `the other ${items.length} ${items.length === 1 ? 'entry was' : 'entries were'} removed`;
    throw new AppError('REFUSED', `What cannot be saved is kept, ${rest}: ${unsaved.join('; ')}`, { staying: unsaved });
  }
  return { items, bytes: items.reduce((sum, item) => sum + item.bytes, 0), applied: request.apply };
}

async function cleanWorkspace(
  ctx: EngineContext,
  name: string,
  request: CleanUpRequest,
): Promise<CleanItem | undefined> {
  const state = endedRun(ctx, name, request);
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
  if (!request.apply) return item;
  const run = await openRun(ctx, state.start.run);
  const task = run.ledger.state.tasks[key];
  if (task === undefined) return undefined;
  const number = Math.max(1, task.attempts.length);
  await saveAttemptWorkspace(run, task, await attemptWorkspaceOf(ctx, run, task), { number, save: ctx.world.now() });
  await removeAttemptWorkspace(ctx, run, task);
  return item;
}

/** The run that a folder belongs to, if it ended long enough ago and belongs to the requested project. */
function endedRun(ctx: EngineContext, name: string, request: CleanUpRequest): RunState | undefined {
  const run = NAMED.exec(name)?.[1];
  if (run === undefined || ctx.store.read(runStream(run)).length === 0) return undefined;
  const state = loadRun(ctx.store, runStream(run));
  if (state.status.kind !== 'ended') return undefined;
  if (request.project !== undefined && state.start.project.id !== request.project) return undefined;
  return ctx.world.now() - state.status.at >= request.olderThanDays * DAY_MS ? state : undefined;
}

async function entries(folder: string): Promise<string[]> {
  const found = await lstat(folder).catch(() => undefined);
  return found?.isDirectory() ? readdir(folder) : [];
}

/** The size of a folder in bytes; links are not followed, and files that disappear concurrently count nothing. */
async function treeBytes(path: string): Promise<number> {
  const stat = await lstat(path).catch(() => undefined);
  if (stat === undefined || !stat.isDirectory()) return stat?.size ?? 0;
  const names = await readdir(path).catch(() => []);
  let bytes = 0;
  for (const name of names) bytes += await treeBytes(join(path, name));
  return bytes;
}
