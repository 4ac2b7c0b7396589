import type { RunState } from '../../core/run/state.ts';
import { moneyText, timeText } from '../../core/view/amounts.ts';
import { type AmountFormat, type Fact, factsOf } from '../../core/view/facts.ts';
import type { RunEvent } from '../../schema/event.ts';
import { durationText } from './amounts.ts';
import { cleanText, oneLine } from './clean-text.ts';

const FORMAT: AmountFormat = { duration: durationText, money: moneyText };

/** What happened, as plain lines for grep: `time  subject  fact`, one per fact, always worded the same. */
export function factLines(state: RunState, recorded: { event: RunEvent; at: number }): string[] {
  return factsOf(state, recorded, FORMAT).flatMap((fact) => linesOf(fact, recorded.at));
}

/** The lines of checks that did not pass, and no others. */
export function failedCheckLines(state: RunState, recorded: { event: RunEvent; at: number }): string[] {
  return factsOf(state, recorded, FORMAT)
    .filter(({ details }) => details !== undefined)
    .flatMap((fact) => linesOf(fact, recorded.at));
}

function linesOf({ about, fact, details = [] }: Fact, at: number): string[] {
  return [`${timeText(at)}  ${about}  ${oneLine(fact)}`, ...details.map((line) => `    ${cleanText(line)}`)];
}
