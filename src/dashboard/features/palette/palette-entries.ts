import { isInterrupted } from '../../../core/view/open-run.ts';
import type { RunOverview } from '../../../schema/overview.ts';

/** An entry of the palette: a page, a run, a task or an action. */
export type Entry = {
  id: string;
  title: string;
  group: 'Actions' | 'Pages' | 'Runs' | 'Tasks' | 'New run' | 'Appearance';
  /** Additional search words. */
  words?: string;
  hint?: string;
  /** It is irreversible and must be chosen twice. */
  needsConfirmation?: boolean;
  run(): void;
};

const MAX = 60;
const MAX_RECENT = 8;
const MAX_UNTYPED = 6;

/** The entries that match every word, best first; without a query the recently used ones first. */
export function findEntries(entries: readonly Entry[], typed: string, recent: readonly string[]): Entry[] {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const counts = new Map<string, number>();
  const rated = entries.flatMap((entry, index) => {
    const score = scoreOf(entry, words);
    if (score === 0) return [];
    if (words.length === 0 && isOverLimit(entry, counts)) return [];
    // What is irreversible is never the first without a query.
    const rank = entry.needsConfirmation === true ? -1 : recent.indexOf(entry.id);
    const bonus = rank < 0 ? 0 : (MAX_RECENT - rank) / (words.length === 0 ? 1 : 10);
    return [{ entry, score: score + bonus, index }];
  });
  return rated
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, MAX)
    .map(({ entry }) => entry);
}

/** Without a query only a few runs and tasks are listed. */
function isOverLimit({ group }: Entry, counts: Map<string, number>): boolean {
  if (group !== 'Runs' && group !== 'Tasks') return false;
  const before = counts.get(group) ?? 0;
  counts.set(group, before + 1);
  return before >= MAX_UNTYPED;
}

/** The ids of the recently used entries, with a new one first. */
export function withRecent(recent: readonly string[], id: string): string[] {
  return [id, ...recent.filter((each) => each !== id)].slice(0, MAX_RECENT);
}

/** 0 if a word is missing; higher if words start the title or a word of it. */
function scoreOf({ title, group, words: more = '', hint = '' }: Entry, words: readonly string[]): number {
  const name = title.toLowerCase();
  const all = `${name} ${more} ${hint} ${group}`.toLowerCase();
  let score = 1;
  for (const word of words) {
    if (name.startsWith(word)) score += 4;
    else if (name.includes(` ${word}`)) score += 3;
    else if (name.includes(word)) score += 2;
    else if (all.includes(word)) score += 1;
    else return 0;
  }
  return score;
}

/** An action on a run. */
export type RunAction =
  | 'review'
  | 'reject'
  | 'message'
  | 'copy-branch'
  | 'open-editor'
  | 'retry-run'
  | 'pause-run'
  | 'resume'
  | 'cancel-run'
  | 'land'
  | 'flag-run'
  | 'mark-unread';

const OPEN: readonly RunOverview['status'][] = ['running', 'needs-rerun', 'held', 'blocked', 'paused'];

/** The selected task of the run, and whether the paths of the server are those of this machine. */
export type ActionContext = { task: string | undefined; isOnOwnMachine: boolean };

/** The actions available for a run, or for its selected task. */
export function runActions(
  run: RunOverview,
  { task, isOnOwnMachine }: ActionContext,
): { action: RunAction; title: string; needsConfirmation: boolean }[] {
  const { status, attention, counts, landed } = run;
  const isOpen = OPEN.includes(status);
  const waits = attention.some(({ what }) => what === 'plan' || what === 'held');
  const isStuck = status === 'blocked' || status === 'failed' || (counts.failed ?? 0) + (counts.blocked ?? 0) > 0;
  const actions: [boolean, RunAction, string, boolean][] = [
    [waits, 'review', 'Review and approve what waits for you', false],
    [waits, 'reject', 'Review and reject with a reason', false],
    [status !== 'cancelled' && status !== 'cancelling', 'message', 'Message an agent', false],
    [isStuck, 'retry-run', task === undefined ? 'Retry failed and blocked tasks' : 'Retry this task', false],
    [status === 'paused' || isInterrupted(run), 'resume', 'Resume', false],
    [isOpen && status !== 'paused', 'pause-run', 'Pause', false],
    [run.flag === null, 'flag-run', 'Flag', false],
    [!run.unread, 'mark-unread', 'Mark as unread', false],
    [isOpen, 'cancel-run', 'Cancel', true],
    [run.endedAt !== null && run.branch !== null && landed === null, 'land', 'Review and land', false],
    [run.branch !== null, 'copy-branch', 'Copy the name of the branch', false],
    [isOnOwnMachine, 'open-editor', 'Open the project in an editor (vscode:)', false],
  ];
  return actions.flatMap(([isAvailable, action, title, needsConfirmation]) =>
    isAvailable ? [{ action, title, needsConfirmation }] : [],
  );
}

/** The available actions of a run as palette entries. */
export function actionEntries(run: RunOverview, context: ActionContext, act: (action: RunAction) => void): Entry[] {
  return runActions(run, context).map(({ action, title, needsConfirmation }) => ({
    id: `action ${action} ${run.run}`,
    title: `${title}: ${run.title}`,
    group: 'Actions' as const,
    words: run.run,
    needsConfirmation,
    run: () => act(action),
  }));
}
