import type { Filing } from '../../schema/collection.ts';
import type { RunStatus } from '../../schema/document.ts';
import type { RunOverview } from '../../schema/overview.ts';

/** Whether a run could continue and no engine runs it, as after a crash; `carried` is undefined where this is not known. */
export function isInterrupted({ status, carried }: { status: RunStatus; carried?: boolean | undefined }): boolean {
  return carried === false && (status === 'running' || status === 'needs-rerun' || status === 'cancelling');
}

/** Whether lists leave a run out: one that is open is shown again, as it may wait for the user or spend. */
export function isHidden({ hidden, endedAt }: Pick<Filing, 'hidden'> & { endedAt: string | null }): boolean {
  return hidden && endedAt !== null;
}

/** How long a failed run needs the user, unless it is retried, landed or hidden before. */
const UNRESOLVED_MS = 7 * 24 * 3_600_000;

/** Whether a run ended without all of its work, recently, and nothing was done about it. */
export function isUnresolved({ failure, landed, endedAt, hidden }: RunOverview, now: number): boolean {
  const isRecent = endedAt !== null && now - Date.parse(endedAt) < UNRESOLVED_MS;
  return failure !== null && landed === null && isRecent && !hidden;
}
