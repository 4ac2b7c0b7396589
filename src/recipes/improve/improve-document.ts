import { changeText, valueText } from '../../core/land/measure.ts';
import { chargeOf, roundMoney } from '../../core/schedule/budget.ts';
import type { ProgressDocument } from '../../schema/progress.ts';
import { changeOf, type ImproveRound, isKept, type Spot } from './improve-spots.ts';

/** The weak spots and what came of them, as `show`, the report and the dashboard present it. */
export function improveProgress(rounds: readonly ImproveRound[], stop: string | null): ProgressDocument | undefined {
  if (rounds.length === 0) return undefined;
  return {
    unit: 'round',
    plan: 1,
    points: rounds.flatMap(({ number, spots }) =>
      spots.map((spot) => ({
        id: spot.id,
        title: spot.title,
        status: isKept(spot) ? ('done' as const) : isRejected(spot) ? ('rejected' as const) : ('open' as const),
        by: isKept(spot) ? 'check' : null,
        round: number,
        evidence: outcomeText(spot),
      })),
    ),
    rounds: rounds.map((round) => ({
      round: round.number,
      plan: 1,
      done: round.spots.filter(isKept).length,
      landed: round.spots.some(isKept),
      findings: round.spots.length,
      cost: costOf(round),
    })),
    warnings: [],
    stop,
  };
}

/** What was improved, and what was not, as Markdown. */
export function improveDocument(rounds: readonly ImproveRound[], stop: string | null): string | undefined {
  if (rounds.length === 0) return undefined;
  const spots = rounds.flatMap((round) => round.spots);
  const rows = (list: readonly Spot[]) =>
    list.length === 0
      ? ['None.']
      : list.map(
          (spot) =>
            `- **${spot.id}** ${spot.title}: ${outcomeText(spot) ?? 'not measured'} (\`${spot.measure.command}\`)`,
        );
  return [
    '# Improvements',
    '',
    ...(stop === null ? [] : [`It ended because ${stop}.`, '']),
    '## Kept',
    '',
    ...rows(spots.filter(isKept)),
    '',
    '## Tried and not kept',
    '',
    ...rows(spots.filter((spot) => !isKept(spot) && spot.task !== undefined)),
    '',
    '## Not tried',
    '',
    ...rows(spots.filter(({ task }) => task === undefined)),
  ].join('\n');
}

function isRejected({ task, dropped }: Spot): boolean {
  return dropped !== null || task?.phase.status === 'failed' || task?.phase.status === 'cancelled';
}

function outcomeText(spot: Spot): string | null {
  const change = changeOf(spot)?.measured;
  if (change !== undefined) return changeText(spot.measure, change.before, change.after);
  const phase = spot.task?.phase;
  if (phase?.status === 'failed') return phase.reason;
  return spot.dropped ?? (spot.shown === null ? null : valueText(spot.measure.metric, spot.shown));
}

function costOf({ discover, spots }: ImproveRound): number {
  const attempts = [discover, ...spots.flatMap(({ task }) => task ?? [])].flatMap((task) => task.attempts);
  const ended = attempts.filter((attempt) => attempt.ended !== null);
  return roundMoney(ended.reduce((sum, { usage, reservation }) => sum + chargeOf(usage, reservation).costUsd, 0));
}
