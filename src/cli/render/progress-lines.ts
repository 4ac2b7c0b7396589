import { moneyText } from '../../core/view/amounts.ts';
import { taskLabel } from '../../core/view/task-label.ts';
import type { RunDocument, TaskDocument } from '../../schema/document.ts';
import { oneLine } from './clean-text.ts';
import type { Painter } from './symbols.ts';
import { shorten } from './text-width.ts';

/** How a run is shown; `hasContainment`: how each attempt was contained is shown too. */
export type SummaryView = { columns: number; now: number; colors: Painter; hasContainment?: boolean };

const MOST_ROUNDS = 10;
const MOST_DECISIONS = 60;

/** The points that a run which works in rounds must reach, and what each round did. */
export function progressLines({ progress }: RunDocument, { columns, colors }: SummaryView): string[] {
  if (progress === undefined) return [];
  const { unit, plan, points, rounds, warnings } = progress;
  const done = points.filter(({ status }) => status === 'done').length;
  const listed = points.map(({ id, title, status, by, round, evidence }) => {
    const mark = status === 'done' ? colors.green('✓') : status === 'rejected' ? colors.red('✗') : '○';
    const why = by === null ? '' : ` (${round === null ? '' : `${unit} ${round}, `}${by}: ${evidence ?? ''})`;
    return `  ${mark} ${shorten(oneLine(`${id} ${title}${why}`), columns - 5)}`;
  });
  const each = rounds.slice(-MOST_ROUNDS).map(({ round, done: more, landed, findings, cost }) => {
    const reached = more < 0 ? String(more) : `+${more}`;
    return `  ${unit} ${round}: ${reached}, ${landed ? 'landed' : 'nothing landed'}, ${findings} ${findings === 1 ? 'finding' : 'findings'}, ${moneyText(cost)}`;
  });
  return [
    colors.bold(`Progress: ${done} of ${points.length}${plan > 1 ? `, plan ${plan}` : ''}`),
    ...listed,
    ...each,
    ...warnings.map((warning) => `  ${colors.yellow('!')} ${oneLine(warning)}`),
  ];
}

/** What a workflow decided: the nodes it skipped, why rounds were repeated, and its gates. */
export function nodeLines({ nodes = [], tasks }: RunDocument, { columns, colors }: SummaryView): string[] {
  const texts = nodes.flatMap(({ id, status, reason, rounds, gates }) => [
    ...(status === 'skipped' ? [`${id} skipped: ${reason ?? ''}`] : []),
    ...(status === 'needs-rerun' ? [`${id} needs a rerun: its work was invalidated`] : []),
    ...rounds.slice(1).map((round) => `${labelIn(tasks, round.task)}: ${round.reason}`),
    ...gates.map((gate) => `gate ${gate.id} of ${id} ${gate.verdict}: ${gate.reason}`),
  ]);
  if (texts.length === 0) return [];
  const lines = texts.slice(0, MOST_DECISIONS).map((text) => `  ${shorten(oneLine(text), columns - 3)}`);
  const left = texts.length - lines.length;
  return [colors.bold('Decisions'), ...lines, ...(left > 0 ? [`  ${colors.dim(`and ${left} more`)}`] : [])];
}

/** The run that started this one, and the runs that its agents started. */
export function subRunLines({ parent, subRuns = [], tasks }: RunDocument, { columns, colors }: SummaryView): string[] {
  const lines = subRuns.map(({ run, task, title, status, reason, cost, branch }) => {
    const result = branch === null ? '' : `, branch ${branch}`;
    const spent = cost === null || cost === 0 ? '' : `, ${moneyText(cost)}`;
    const text = `${run} ${title} (by ${labelIn(tasks, task)}): ${status}${result}${spent}${reason === null ? '' : `: ${reason}`}`;
    return `  ${shorten(oneLine(text), columns - 3)}`;
  });
  return [
    ...(parent === undefined ? [] : [`  started by ${parent.task} of run ${parent.run}`]),
    ...(lines.length === 0 ? [] : [colors.bold('Sub-runs'), ...lines]),
  ];
}

/** A task as a line names it. */
export function labelIn(tasks: readonly TaskDocument[], key: string | null): string {
  const task = tasks.find((each) => each.key === key);
  return task === undefined ? (key ?? 'the run') : taskLabel(task);
}
