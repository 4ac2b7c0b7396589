import { type AttentionList, needsYou, waitingItems } from '../../../core/view/needs-you.ts';
import { isHidden, isInterrupted } from '../../../core/view/open-run.ts';
import type { RunOverview } from '../../../schema/overview.ts';
import { folderName } from '../../ui/browser/page-paths.ts';

export type ProjectChoice = { id: string; name: string; path: string; runs: number };
export type Sections = AttentionList & {
  running: RunOverview[];
  idle: RunOverview[];
  recent: RunOverview[];
};

/** Groups runs into waiting, failed, running, idle and recent; hidden runs that ended are left out. */
export function sectionsOf(runs: readonly RunOverview[], project: string | null, now: number): Sections {
  const shown = runs.filter((run) => !isHidden(run) && (project === null || run.projectId === project));
  const open = shown.filter((run) => run.endedAt === null);
  return {
    ...needsYou(shown, now),
    running: open.filter(isActive),
    idle: open.filter((run) => !isActive(run) && waitingItems(run).length === 0),
    recent: shown
      .filter((run) => run.endedAt !== null)
      .sort((a, b) => Number(b.unread) - Number(a.unread) || endOf(b).localeCompare(endOf(a))),
  };
}

/** The projects that have runs, by name. */
export function projectsOf(runs: readonly RunOverview[]): ProjectChoice[] {
  const choices = new Map<string, ProjectChoice>();
  for (const { projectId: id, project: path } of runs) {
    const known = choices.get(id);
    choices.set(id, { id, name: folderName(path), path, runs: (known?.runs ?? 0) + 1 });
  }
  return [...choices.values()].sort((a, b) => a.name.localeCompare(b.name));
}

/** Whether an engine runs, has scheduled or cancels a run. */
function isActive(run: RunOverview): boolean {
  if (isInterrupted(run)) return false;
  const { status, liveCount } = run;
  return status === 'running' || status === 'needs-rerun' || status === 'cancelling' || liveCount > 0;
}

function endOf({ endedAt, startedAt }: RunOverview): string {
  return endedAt ?? startedAt;
}
