import { moneyText } from '../core/view/amounts.ts';
import type { ProgressDocument } from '../schema/progress.ts';
import { type Block, list, paragraph, table } from './page.ts';

const EVIDENCE_CHARS = 500;

/** The points that a run which works in rounds must reach, and what each round did for them. */
export function progressBlocks({ unit, plan, points, rounds, warnings, stop }: ProgressDocument): Block[] {
  const earlier = plan === 2 ? 'the task plan/1' : `the tasks plan/1 to plan/${plan - 1}`;
  return [
    ...(plan > 1 ? [paragraph(`This is plan ${plan}; earlier ones are the results of ${earlier}.`)] : []),
    ...(stop === null ? [] : [paragraph(`It stopped: ${stop}.`)]),
    ...list(warnings.map((warning) => [warning])),
    ...table(
      ['', 'point', 'status', 'shown by', 'evidence'],
      points.map(({ id, title, status, by, round, evidence }) => [
        id,
        title,
        status,
        by === null ? '' : `${by}${round === null ? '' : `, ${unit} ${round}`}`,
        (evidence ?? '').slice(0, EVIDENCE_CHARS),
      ]),
    ),
    ...(rounds.length === 0
      ? []
      : table(
          [unit, 'plan', 'reached', 'landed', 'findings', 'cost'],
          rounds.map((round) => [
            String(round.round),
            String(round.plan),
            String(round.done),
            round.landed ? 'yes' : 'no',
            String(round.findings),
            moneyText(round.cost),
          ]),
        )),
  ];
}
