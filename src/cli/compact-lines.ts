import type { CompactRun } from '../schema/compact-run.ts';
import { moneyText } from './amounts.ts';
import { oneLine } from './clean-text.ts';

/** A run in a few lines, for whoever steers many. */
export function compactLines(run: CompactRun): string[] {
  const { progress, lastAction, recommended } = run;
  const counts = Object.entries(progress.counts).map(([status, count]) => `${count} ${status}`);
  return [
    `${run.run}  ${run.status}, ${run.phase}  ${progress.done}/${progress.total} done  ${moneyText(run.cost)}  ${oneLine(run.title)}`,
    ...(counts.length === 0 ? [] : [`tasks: ${counts.join(', ')}`]),
    ...(lastAction === null ? [] : [`last: ${lastAction.task ?? ''} ${oneLine(lastAction.what)}`]),
    ...run.toolCalls.slice(-5).map(({ task, tool, detail, times }) => {
      const often = times === 1 ? '' : ` (${times} times)`;
      return `called: ${task} ${oneLine(tool)} ${oneLine(detail)}${often}`;
    }),
    ...(run.changedFiles.length === 0 ? [] : [`changed: ${run.changedFiles.map(oneLine).join(', ')}`]),
    ...run.risks.map(
      ({ severity, risk, task, detail }) => `risk (${severity}): ${risk} in ${task}: ${oneLine(detail)}`,
    ),
    ...run.warnings.map(({ task, message }) => `warning: ${task}: ${oneLine(message)}`),
    `next: ${recommended.action}: ${oneLine(recommended.because)}${recommended.command === null ? '' : ` (${recommended.command})`}`,
    `cursor: ${run.cursor}`,
  ];
}
