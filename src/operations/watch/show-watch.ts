import { z } from 'zod';
import type { App } from '../../app.ts';
import { dayText } from '../../core/view/amounts.ts';
import { retryAt } from '../../core/watch/decide-watch.ts';
import { summaryOf, type WatchState } from '../../core/watch/watch-series.ts';
import { watchStream } from '../../schema/ids.ts';
import { WatchDocument } from '../../schema/watch/watch-round.ts';
import { projectOf } from '../find-run.ts';
import { operation } from '../operation.ts';

/** Shows the series of a project: proposals, discussions, drafts and summaries. */
export const showWatch = operation({
  name: 'show-watch',
  where: 'anywhere',
  summary: 'Show the results of watching a project: proposals, discussions, draft reviews and daily summaries',
  http: 'GET /api/watch',
  allow: ['viewer', 'operator'],
  input: z.object({ dir: z.string() }),
  output: WatchDocument,
  run: async (app, { dir }) => watchDocument(app, (await projectOf(app, dir)).id),
});

/** The series of a project as entry points show it. */
export function watchDocument(app: App, project: string): WatchDocument {
  const state = app.watches.state(watchStream(project));
  const { settings, open, day, isActive, intervalMs, summaries } = state;
  const today = dayText(app.world.now());
  const current = day.day === today ? day : { day: today, rounds: 0, spentUsd: 0, lines: [] };
  const isOver = day.day !== today && day.rounds + day.lines.length > 0;
  return {
    project,
    active: isActive,
    round: state.round,
    running: open,
    next: nextAt(state),
    problem: state.failure?.reason ?? null,
    intervalMinutes: Math.round(intervalMs / 60_000),
    spentToday: current.spentUsd,
    budgetPerDay: settings?.budgetPerDay ?? null,
    proposals: state.proposals,
    discussions: state.discussions,
    reviews: state.reviews,
    today: { day: today, text: summaryOf(current) },
    summaries: isOver ? [{ day: day.day, text: summaryOf(day) }, ...summaries] : summaries,
  };
}

/** When the next round begins if nothing else wakes the watcher. */
function nextAt(state: WatchState): string | null {
  const { isActive, open, lookedAt, intervalMs } = state;
  const retry = retryAt(state);
  const at = retry ?? (lookedAt === 0 ? undefined : lookedAt + intervalMs);
  return !isActive || open !== null || at === undefined ? null : new Date(at).toISOString();
}
