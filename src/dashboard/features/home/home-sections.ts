import { isUnresolved } from '../../../core/view/open-run.ts';
import type { RunOverview, WaitingItem } from '../../../schema/overview.ts';

/** Something that needs the user, with its run. */
export type WaitingEntry = { run: RunOverview; item: WaitingItem };
export type ProjectChoice = { id: string; name: string; path: string; runs: number };
export type Sections = {
  waiting: WaitingEntry[];
  failed: RunOverview[];
  running: RunOverview[];
  idle: RunOverview[];
  recent: RunOverview[];
};

/** Groups runs into waiting, failed, running, idle and recent; hidden runs are left out. */
export function sectionsOf(runs: readonly RunOverview[], project: string | null, now: number): Sections {
  const shown = runs.filter((run) => !run.hidden && (project === null || run.projectId === project));
  const open = shown.filter((run) => run.endedAt === null);
  return {
    waiting: open
      .flatMap((run) => run.attention.map((item) => ({ run, item })))
      .sort((a, b) => a.item.since.localeCompare(b.item.since)),
    failed: shown.filter((run) => isUnresolved(run, now)).sort((a, b) => endOf(b).localeCompare(endOf(a))),
    running: open.filter(isActive),
    idle: open.filter((run) => !isActive(run) && run.attention.length === 0),
    recent: shown
      .filter((run) => run.endedAt !== null)
      .sort((a, b) => Number(b.unread) - Number(a.unread) || endOf(b).localeCompare(endOf(a))),
  };
}

/** What a list shows of a failure: the line that names the error, then the last lines. */
export function failureLines({ error, lines }: NonNullable<RunOverview['failure']>): string[] {
  return error === null || lines.includes(error) ? lines : [error, '…', ...lines];
}

/** The projects that have runs, by name. */
export function projectsOf(runs: readonly RunOverview[]): ProjectChoice[] {
  const choices = new Map<string, ProjectChoice>();
  for (const { projectId: id, project: path } of runs) {
    const known = choices.get(id);
    choices.set(id, { id, name: projectName(path), path, runs: (known?.runs ?? 0) + 1 });
  }
  return [...choices.values()].sort((a, b) => a.name.localeCompare(b.name));
}

/** The name of a project's folder. */
export function projectName(path: string): string {
  return path.split(/[\\/]/).findLast((part) => part !== '') ?? path;
}

/** Whether a run is running, scheduled or being cancelled. */
function isActive({ status, liveCount }: RunOverview): boolean {
  return status === 'running' || status === 'needs-rerun' || status === 'cancelling' || liveCount > 0;
}

function endOf({ endedAt, startedAt }: RunOverview): string {
  return endedAt ?? startedAt;
}
