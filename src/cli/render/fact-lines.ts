import type { RunState } from '../../core/run/state.ts';
import { type AmountFormat, type Fact, factsOf } from '../../core/view/facts.ts';
import type { RunEvent } from '../../schema/event.ts';
import { durationText, moneyText } from './amounts.ts';
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

/** The time of day. */
export function timeText(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}
