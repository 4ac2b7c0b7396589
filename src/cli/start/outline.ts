import { moneyText, withLocalTimes } from '../../core/view/amounts.ts';
import type { OperationInput, OperationOutput } from '../../operations/all.ts';
import type { Session } from '../platform.ts';
import { oneLine } from '../render/clean-text.ts';
import { printJson, printLines } from '../render/output.ts';
import { readGoalText } from './goal-text.ts';
import { startOptions } from './start-options.ts';
import { type StartCommand, startRun } from './start-run.ts';

type Outline = OperationOutput<'outline-run'>;

/** Starts a run, or only shows what it would do, with its maximum cost and its stop conditions. */
export async function startOrOutline(session: Session, command: StartCommand, isOutline: boolean): Promise<number> {
  if (!isOutline) return startRun(session, command);
  const { terminal } = session.platform;
  const text = await readGoalText(terminal, command.words);
  const request = command.request(text, await startOptions(terminal, command.flags));
  return showOutline(session, request, command.flags);
}

async function showOutline(
  { platform }: Session,
  request: OperationInput<'outline-run'>,
  { json }: { json: boolean },
): Promise<number> {
  const { terminal } = platform;
  await using caller = await platform.openCaller(terminal.env);
  const outline = await caller.call('outline-run', request);
  if (json) printJson(terminal, outline);
  else printLines(terminal, outlineLines(outline));
  return 0;
}

function outlineLines({ recipe, title, phases, cost, stops }: Outline): string[] {
  return [
    `${recipe}: ${oneLine(title)}`,
    '',
    'Phases',
    ...phases.map(({ title: what, role, most, agent, because }) => {
      const count = most === null ? 'as planned' : `at most ${most}`;
      return `  ${oneLine(what)} (${role}, ${count}): ${agent ?? 'no agent'} (${oneLine(withLocalTimes(because))})`;
    }),
    '',
    'Cost',
    `  ${costText(cost)}`,
    '',
    'It stops when',
    ...stops.map((stop) => `  ${oneLine(stop)}`),
    '',
    'Nothing was started.',
  ];
}

function costText({ tasks, attemptsPerTask, perAttempt, most, budget }: Outline['cost']): string {
  if (budget !== null) return `at most ${moneyText(most ?? budget)}, the budget is ${moneyText(budget)}`;
  const each = `${attemptsPerTask} attempts per task of ${moneyText(perAttempt)} (budget.attempt)`;
  if (tasks === null || most === null) return `${each}; the plan decides how many tasks. Limit it with --budget`;
  return `at most ${moneyText(most)} if an attempt costs no more than is reserved: ${tasks} tasks, ${each}. Enforce it with --budget`;
}
