import { lstat, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunState } from '../../core/run/state.ts';
import { AppError, messageOf } from '../../errors.ts';
import type { Home } from '../../home.ts';
import { removeLater } from '../../process/remove-later.ts';
import { runStream } from '../../schema/ids.ts';
import { attemptWorkspaceOf, removeAttemptWorkspace, saveAttemptWorkspace } from '../attempt/attempt-workspace.ts';
import type { EngineContext } from '../loop/context.ts';
import { loadRun } from '../loop/ledger.ts';
import { openRun } from '../start/open-run.ts';

/** Which ended runs are cleaned up: all of a project, or only one. */
export type CleanUpRequest = { project: string | undefined; olderThanDays: number; apply: boolean; run?: string };
export type CleanItem = { what: string; path: string; bytes: number; reason: string };
/** What is not removed; `until` is when it can be, where that is known. */
export type KeptItem = CleanItem & { until: string | null };

const DAY_MS = 86_400_000;
/** Prepared workspaces, and copied dependencies that wait for their next use. */
const PREPARED = /^(pool|kept)-/;
const NAMED = /^([0-9a-z]{8})-(\d+|gate|check|setup)\b/;

/** Lists, and with `apply` removes, what ended runs left: workspaces (saved first), raw output, checkouts. Work under refs is never touched. */
export async function cleanUp(
  ctx: EngineContext,
  request: CleanUpRequest,
): Promise<{ items: CleanItem[]; bytes: number; applied: boolean; kept: KeptItem[] }> {
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
    items.push({ what: 'raw output', path, bytes: await treeBytes(path), reason: reasonOf(name) });
    if (request.apply) await removeLater(path, ctx.home.removing);
  }
  if (unsaved.length > 0) {
    const rest = `the other ${items.length} ${items.length === 1 ? 'entry was' : 'entries were'} removed`;
    throw new AppError('REFUSED', `What cannot be saved is kept, ${rest}: ${unsaved.join('; ')}`, { staying: unsaved });
  }
  const kept = request.run !== undefined ? [] : await keptItems(ctx, request, new Set(items.map(({ path }) => path)));
  return { items, bytes: items.reduce((sum, item) => sum + item.bytes, 0), applied: request.apply, kept };
}

/** Everything in the data directory that this request does not remove, with its size and the reason. */
async function keptItems(
  ctx: EngineContext,
  request: CleanUpRequest,
  listed: ReadonlySet<string>,
): Promise<KeptItem[]> {
  const { home } = ctx;
  const kept: KeptItem[] = [];
  for (const [what, folder] of [
    ['workspace', home.workspaces],
    ['raw output', home.attempts],
  ] as const) {
    for (const name of await entries(folder)) {
      const path = join(folder, name);
      const why = listed.has(path) ? undefined : keptReason(ctx, name, request);
      if (why !== undefined) kept.push({ what, path, bytes: await treeBytes(path), ...why });
    }
  }
  for (const { what, path, reason } of permanentItems(home)) {
    const bytes = await treeBytes(path);
    if (bytes > 0) kept.push({ what, path, bytes, reason, until: null });
  }
  return kept;
}

/** Why a folder of a run stays, and until when; undefined where it belongs to another project. */
function keptReason(
  ctx: EngineContext,
  name: string,
  request: CleanUpRequest,
): Pick<KeptItem, 'reason' | 'until'> | undefined {
  if (PREPARED.test(name)) return { reason: 'it is prepared for the next task', until: null };
  const run = NAMED.exec(name)?.[1];
  if (run === undefined || ctx.store.read(runStream(run)).length === 0)
    return { reason: 'it belongs to no known run', until: null };
  const { status, start } = loadRun(ctx.store, runStream(run));
  if (request.project !== undefined && start.project.id !== request.project) return undefined;
  if (status.kind !== 'ended') return { reason: `run ${run} has not ended`, until: null };
  const at = status.at + request.olderThanDays * DAY_MS;
  if (at <= ctx.world.now()) return { reason: `run ${run} still uses it`, until: null };
  return { reason: `run ${run} ended recently`, until: new Date(at).toISOString() };
}

/** What no request removes; its size is that of all projects. */
function permanentItems(home: Home): { what: string; path: string; reason: string }[] {
  return [
    { what: 'mirrors', path: home.mirrors, reason: 'saved work of all projects' },
    { what: 'database', path: home.database, reason: 'events and transcripts; manyhands archive --remove shrinks it' },
    { what: 'prepared workspaces', path: home.seeds, reason: 'new workspaces start from them' },
    { what: 'removed', path: home.removing, reason: 'it is being deleted' },
    { what: 'backups', path: home.backups, reason: 'the newest replace the oldest' },
    { what: 'archives', path: home.archives, reason: 'runs that were archived' },
  ];
}

function reasonOf(name: string): string {
  const isCheck = NAMED.exec(name)?.[2] === 'check';
  return isCheck ? 'its first and last lines are in the result of the check' : 'it is in the transcript';
}

async function cleanWorkspace(
  ctx: EngineContext,
  name: string,
  request: CleanUpRequest,
): Promise<CleanItem | undefined> {
  const state = endedRun(ctx, name, request);
  const ordinal = Number(NAMED.exec(name)?.[2]);
  const key = state?.order[ordinal - 1];
  if (state === undefined || key === undefined || name.includes('.')) return undefined;
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
  if (run === undefined || run !== (request.run ?? run)) return undefined;
  if (ctx.store.read(runStream(run)).length === 0) return undefined;
  const state = loadRun(ctx.store, runStream(run));
  if (state.status.kind !== 'ended') return undefined;
  if (request.project !== undefined && state.start.project.id !== request.project) return undefined;
  return ctx.world.now() - state.status.at >= request.olderThanDays * DAY_MS ? state : undefined;
}

async function entries(folder: string): Promise<string[]> {
  const found = await lstat(folder).catch(() => undefined);
  return found?.isDirectory() ? readdir(folder) : [];
}

/** The size of a folder in bytes; a workspace in another folder is a link. Other links are not followed, and files that disappear concurrently count nothing. */
async function treeBytes(path: string): Promise<number> {
  return bytesBelow(await realpath(path).catch(() => path));
}

async function bytesBelow(path: string): Promise<number> {
  const stat = await lstat(path).catch(() => undefined);
  if (stat === undefined || !stat.isDirectory()) return stat?.size ?? 0;
  const names = await readdir(path).catch(() => []);
  let bytes = 0;
  for (const name of names) bytes += await bytesBelow(join(path, name));
  return bytes;
}
