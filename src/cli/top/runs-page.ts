import { currentSteps, stepText, waitText } from '../../core/view/activity.ts';
import { costText, hasCost, sumUnknown } from '../../core/view/cost-text.ts';
import { isInterrupted, isUnresolved } from '../../core/view/open-run.ts';
import type { LiveAttempt, RunOverview, WaitingItem } from '../../schema/overview.ts';
import { clockText } from '../render/amounts.ts';
import { runMark, shownStatus } from '../render/symbols.ts';
import { shorten } from '../render/text-width.ts';
import { type Block, fitBlocks } from './blocks.ts';
import { type RunSection, runSections, runsInOrder } from './rows.ts';
import { agoText, type Cell, counted, folderName, rowLine, spread, type View } from './view.ts';

/** Terminal widths below which a column is omitted. */
const WITH_ID = 100;
const WITH_PROJECT = 110;
const WITH_COST = 70;
const STATE_WIDTH = 13;

const APPROVABLE: ReadonlySet<string> = new Set(['plan', 'held']);

/** The totals of all runs in one line. */
export function runsHead(view: View): string[] {
  const { top, colors } = view;
  const paint = { left: colors.bold, right: colors.dim };
  const scope = top.scope ?? 'all projects';
  return [spread(`manyhands  ${scope}`, totals(view), { columns: top.size.columns, paint })];
}

/** The runs under their headings; those that wait for the user show the reason and the key. */
export function runsBody(view: View, rows: number): string[] {
  const { top, colors } = view;
  if (top.runs === undefined) return [colors.dim(' Loading the runs…')];
  const sections = runSections(top);
  if (sections.length === 0) return emptyLines(view);
  return fitBlocks(
    sections.flatMap((section) => sectionBlocks(section, view)),
    rows,
  );
}

function totals({ top, now }: View): string {
  if (top.runs === undefined) return 'loading';
  const runs = runsInOrder({ ...top, filters: { ...top.filters, runs: '' } });
  const open = runs.filter(({ endedAt }) => endedAt === null);
  const waiting = open.filter((run) => run.attention.length > 0 || isInterrupted(run)).length;
  const failed = runs.filter((run) => isUnresolved(run, now)).length;
  const queued = open.reduce((sum, { counts }) => sum + (counts.ready ?? 0) + (counts.waiting ?? 0), 0);
  const live = open.reduce((sum, { liveCount }) => sum + liveCount, 0);
  const cost = open.reduce((sum, run) => sum + run.cost, 0);
  const total = { cost, unknownUsage: sumUnknown(open.map(({ unknownUsage }) => unknownUsage)) };
  return [
    waiting > 0 ? `${waiting} ${waiting === 1 ? 'needs' : 'need'} you` : '',
    failed > 0 ? `${failed} failed` : '',
    `${open.length - waiting} running`,
    counted(live, 'agent'),
    queued > 0 ? `${queued} waiting` : '',
    hasCost(total) ? costText(total) : '',
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

function emptyLines({ top, colors }: View): string[] {
  if (top.filters.runs !== '') return [' No run matches the filter. Press Esc to show all.'];
  return [
    ` There are no runs${top.scope === null ? '' : ' in this project'} yet.`,
    '',
    ` Start one in another terminal:  ${colors.bold('mh do "<goal>"')}`,
    ...(top.scope === null ? [] : [` All projects:  ${colors.bold('mh top --all')}`]),
  ];
}

function sectionBlocks({ title, runs, isUrgent }: RunSection, view: View): Block[] {
  const { colors } = view;
  const paint = isUrgent ? (text: string) => colors.bold(colors.yellow(text)) : colors.dim;
  const heading = { height: 1, draw: () => [paint(` ${title} (${runs.length})`)] };
  return [heading, ...runs.map((run) => runBlock(run, view))];
}

function runBlock(run: RunOverview, view: View): Block {
  const isSelected = run.run === view.top.selected.run;
  const more = secondLine(run, view);
  return {
    height: more === undefined ? 1 : 2,
    isSelected,
    draw: () => [rowLine(cellsOf(run, view), isSelected, view), ...(more === undefined ? [] : [more()])],
  };
}

/** What a run waits for or does, or why it failed if that is unread. */
function secondLine(run: RunOverview, view: View): (() => string) | undefined {
  const [waiting] = run.attention;
  const [live] = run.live;
  const { reason } = run;
  if (run.endedAt !== null)
    return run.status === 'failed' && run.unread && reason !== null ? () => reasonLine(reason, view) : undefined;
  if (waiting !== undefined) return () => waitingLine(run, waiting, view);
  if (isInterrupted(run)) return () => noticeLine('p to resume: no engine is running it', view);
  if (run.waitsFor !== null) return dimLine(waitText(run.waitsFor, view.now), view);
  const step = currentSteps({ ...run, live: [] }).at(-1);
  if (step !== undefined) return dimLine(`${step.about}: ${stepText(step, view.now, clockText)}`, view);
  return live?.activity == null ? undefined : () => activityLine(live, view);
}

function cellsOf(run: RunOverview, view: View): Cell[] {
  const { top, colors } = view;
  const { columns } = top.size;
  const status = shownStatus(run);
  const { symbol, paint } = runMark(status, colors);
  const isUnread = run.unread && run.endedAt !== null;
  const fixed: Cell[] = [
    { text: `${run.done}/${run.tasks}`, width: 7, isRight: true },
    {
      text: run.liveCount > 0 ? counted(run.liveCount, 'agent') : '',
      width: columns >= WITH_COST ? 9 : 0,
      isRight: true,
      paint: colors.cyan,
    },
    { text: hasCost(run) ? costText(run) : '', width: columns >= WITH_COST ? 8 : 0, isRight: true },
    { text: timeOf(run, view), width: 8, isRight: true, paint: colors.dim },
    { text: folderName(run.project), width: top.scope === null && columns >= WITH_PROJECT ? 16 : 0, paint: colors.dim },
    { text: run.run, width: columns >= WITH_ID ? 8 : 0, paint: colors.dim },
  ];
  const used = fixed.reduce((sum, { width }) => sum + (width > 0 ? width + 2 : 0), STATE_WIDTH + 4);
  const title = {
    text: `${isUnread ? '* ' : ''}${run.title}`,
    width: Math.max(columns - used, 8),
    ...(isUnread ? { paint: colors.bold } : {}),
  };
  return [{ text: `${symbol} ${status}`, width: STATE_WIDTH, paint }, title, ...fixed];
}

/** The elapsed time; for a run that waits for the user or that no engine is running, the time since then. */
function timeOf(run: RunOverview, { top, now }: View): string {
  const { startedAt, endedAt, updatedAt, nextAt, attention, liveCount } = run;
  const since = attention[0]?.since;
  if (endedAt === null && since !== undefined && liveCount === 0) return agoText(now - Date.parse(since));
  if (endedAt === null && (top.engine === 'none' || isInterrupted(run))) return agoText(now - Date.parse(updatedAt));
  if (nextAt !== null && Date.parse(nextAt) > now) return `in ${clockText(Date.parse(nextAt) - now)}`;
  return endedAt === null ? clockText(now - Date.parse(startedAt)) : agoText(now - Date.parse(endedAt));
}

function waitingLine(run: RunOverview, item: WaitingItem, view: View): string {
  const more = run.attention.length > 1 ? ` (and ${run.attention.length - 1} more)` : '';
  const key = APPROVABLE.has(item.what) ? 'a to approve' : item.what === 'paused' ? 'p to resume' : 'r to retry';
  const about = item.task === null ? '' : `${item.label ?? item.task}: `;
  return noticeLine(`${key}: ${about}${item.reason}${more}`, view);
}

function noticeLine(text: string, { top, colors }: View): string {
  return colors.yellow(`   ${shorten(text, top.size.columns - 4)}`);
}

function dimLine(text: string, { top, colors }: View): () => string {
  return () => colors.dim(`   ${shorten(text, top.size.columns - 4)}`);
}

function activityLine({ task, label, activity, warnings }: LiveAttempt, { top, colors }: View): string {
  const warning = warnings[0] === undefined ? '' : `! ${warnings[0].message}  `;
  return colors.dim(`   ${shorten(`${warning}${label ?? task}: ${activity ?? ''}`, top.size.columns - 4)}`);
}

function reasonLine(reason: string, { top, colors }: View): string {
  return colors.red(`   ${shorten(reason, top.size.columns - 4)}`);
}
