import { neverLocked } from '../../core/project/locks.ts';
import type { AttemptState, TaskState } from '../../core/run/state.ts';
import { changedPaths } from '../../git/read/touched.ts';
import { locksStream } from '../../schema/coordination/lock.ts';
import type { SavedWork } from '../../schema/event.ts';
import { attemptId } from '../../schema/ids.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import { ENGINE_GENERATIONS } from './attempt-output.ts';
import type { Outcome } from './supervise.ts';

const MOST_LISTED = 20;
/** Behind the marker of output that was dropped, whose position is the number of bytes read. */
const OFFSET = 2 ** 40;

/** The files that an agent changed; none where it was not started. */
export async function changedFiles(
  run: ActiveRun,
  { attempt, outcome }: { attempt: AttemptState; outcome: Pick<Outcome, 'digest'> },
  saved: SavedWork | undefined,
): Promise<string[]> {
  if (outcome.digest === undefined || saved?.changed !== true) return [];
  return changedPaths(run.project.mirror, { from: attempt.base, to: saved.commit });
}

/**
 * Adds a note to an attempt that changed files without a lock, except those of which its hook warned the agent: what an
 * agent without a hook did, and what one with a hook did by a command.
 */
export async function noteUnlockedEdits(
  ctx: EngineContext,
  run: ActiveRun,
  { task, attempt, changed }: { task: TaskState; attempt: AttemptState; changed: readonly string[] },
): Promise<void> {
  const name = attemptId(run.id, task.ordinal, attempt.number);
  const warned = run.warnedEdits.get(name);
  run.warnedEdits.delete(name);
  if (!run.ledger.state.start.config.tools.coordination || task.spec.access === 'read') return;
  const unnoticed = changed.filter((path) => warned?.has(path) !== true);
  const paths = neverLocked(ctx.coordination.locks.state(locksStream(run.project.id)), name, unnoticed);
  if (paths.length === 0) return;
  const more = paths.length > MOST_LISTED ? ` and ${paths.length - MOST_LISTED} more` : '';
  const text = `It changed files without a lock: ${paths.slice(0, MOST_LISTED).join(', ')}${more}`;
  const position = { file: 'engine', generation: ENGINE_GENERATIONS.finalMessage, offset: OFFSET } as const;
  const row = { attempt: name, ...position, at: ctx.world.now(), kind: 'note', text: run.redact(text) };
  await ctx.store.ingest({ attempt: name, rows: [row], cursors: [] });
}
