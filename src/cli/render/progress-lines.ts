import { moneyText } from '../../core/view/amounts.ts';
import type { RunDocument } from '../../schema/document.ts';
import { oneLine } from './clean-text.ts';
import type { SummaryView } from './summary.ts';
import { shorten } from './text-width.ts';

const MOST_ROUNDS = 10;

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
    return `  ${unit} ${round}: ${reached}, ${landed ? 'landed' : 'nothing landed'}, ${findings} findings, ${moneyText(cost)}`;
  });
  return [
    colors.bold(`Progress: ${done} of ${points.length}${plan > 1 ? `, plan ${plan}` : ''}`),
    ...listed,
    ...each,
    ...warnings.map((warning) => `  ${colors.yellow('!')} ${oneLine(warning)}`),
  ];
}
