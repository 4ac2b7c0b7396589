import { z } from 'zod';
import { editWarningText, type UnlockedEdit } from '../../core/project/edit-warning.ts';
import { holdsAll, locksOfOthers } from '../../core/project/locks.ts';
import { AppError } from '../../errors.ts';
import { AttemptCaller } from '../attempt-caller.ts';
import { requireActive, requireTask } from '../find-run.ts';
import { operation } from '../operation.ts';
import { addReport } from '../progress/report-row.ts';
import { type AttemptLocks, attemptLocks } from './attempt-locks.ts';

/** Says what an agent that edits files without a lock should know; nothing where it has locked them. */
export const checkEdit = operation({
  name: 'check-edit',
  where: 'engine',
  summary: 'Warn an agent that edits files which it has not locked',
  http: { unreachable: 'The hook of an agent calls it through the socket of its attempt.' },
  allow: ['attempt'],
  tool: { none: 'The hook of an agent calls it before or after each edit.', byPrograms: true },
  input: z.object({ ...AttemptCaller, paths: z.array(z.string().min(1).max(4_096)).min(1).max(200) }),
  output: z.object({ warning: z.string().optional() }),
  run: async (app, { paths: named, ...caller }) => {
    const active = requireActive(app, caller.run);
    if (requireTask(active.ledger.state, caller.task).spec.access === 'read') return {};
    const found = await Promise.all(named.map((path) => inRepository(attemptLocks(app, caller, [path]))));
    const [locks] = found.filter((each) => each !== undefined);
    if (locks === undefined) return {};
    const { by, stream } = locks;
    const warned = active.warnedEdits.get(by) ?? new Set();
    active.warnedEdits.set(by, warned);
    const now = app.world.now();
    const state = app.locks.state(stream);
    const held = state.held.filter(({ expires }) => expires === null || expires > now);
    const edits = [...new Set(found.flatMap((each) => each?.paths ?? []))].flatMap((path): UnlockedEdit[] => {
      if (holdsAll({ ...state, held }, { by, paths: [path] })) return [];
      const [other] = locksOfOthers({ ...state, held }, { by, paths: [path] });
      // Another's lock is worth a warning at each edit; a lock that is only missing, once for each file.
      return other === undefined && warned.has(path) ? [] : [{ path, other }];
    });
    const fresh = edits.filter(({ path }) => !warned.has(path));
    for (const { path } of edits) warned.add(path);
    if (fresh.length > 0) await addReport(app, caller, { kind: 'note', text: editNote(fresh) });
    return edits.length === 0 ? {} : { warning: editWarningText(edits) };
  },
});

/** What people read in the transcript. */
function editNote(edits: readonly UnlockedEdit[]): string {
  const files = edits.map(({ path, other }) => (other === undefined ? path : `${path} (locked by ${other.by})`));
  return `It edits files without a lock: ${files.join(', ')}. The agent was warned.`;
}

/** Files elsewhere, and git's own, have no locks. */
async function inRepository(locks: Promise<AttemptLocks>): Promise<AttemptLocks | undefined> {
  try {
    const found = await locks;
    return found.paths.some((path) => path === '.git' || path.startsWith('.git/')) ? undefined : found;
  } catch (error) {
    if (error instanceof AppError && error.code === 'INPUT_INVALID') return undefined;
    throw error;
  }
}
