import type { RunState } from '../../core/run/state.ts';
import { type AmountFormat, factsOf } from '../../core/view/facts.ts';
import type { RunEvent } from '../../schema/event.ts';
import { durationText, moneyText } from './amounts.ts';
import { oneLine } from './clean-text.ts';

const FORMAT: AmountFormat = { duration: durationText, money: moneyText };

/** What happened, as plain lines for grep: `time  subject  fact`, one per fact, always worded the same. */
export function factLines(state: RunState, recorded: { event: RunEvent; at: number }): string[] {
  return factsOf(state, recorded, FORMAT).map(
    ({ about, fact }) => `${timeText(recorded.at)}  ${about}  ${oneLine(fact)}`,
  );
}

/** The time of day. */
export function timeText(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}
