import type { CallKind } from '../../schema/call.ts';
import type { RunEventOf } from '../../schema/event.ts';
import type { RunState } from '../run/state.ts';
import { addSpend, chargeOf, countUnknown, roundMoney, subtractSpend } from '../schedule/budget.ts';

/** Names a call: each is made once in a run. */
export function callId(kind: CallKind, about?: string): string {
  return about === undefined ? kind : `${kind} ${about}`;
}

/** What the small calls of a run have cost, and what is reserved for open ones. */
export function spentOnCalls(state: RunState): number {
  let sum = 0;
  for (const call of Object.values(state.calls)) {
    if (call.ended === null) sum += call.reservation.costUsd;
    else for (const { usage, reservation } of call.ended.tries) sum += chargeOf(usage, reservation).costUsd;
  }
  return roundMoney(sum);
}

/** Adds a call and reserves its cost. */
export function startCall(state: RunState, event: RunEventOf<'call.started'>, at: number): void {
  const { call, kind, about, reservation } = event.data;
  state.calls[call] = { kind, about: about ?? null, reservation, startedAt: at, ended: null };
  state.openCalls += 1;
  state.reserved = addSpend(state.reserved, reservation);
}

/** Releases the reservation and charges each provider that was called. */
export function endCall(state: RunState, event: RunEventOf<'call.ended'>, at: number): void {
  const { call: id, by, answer, tries } = event.data;
  const call = state.calls[id];
  if (call === undefined || call.ended !== null) throw new Error(`An event ends the call ${id}, which is not open`);
  call.ended = { at, by: by ?? null, answer: answer ?? null, tries };
  state.openCalls -= 1;
  state.reserved = subtractSpend(state.reserved, call.reservation);
  for (const { by: provider, usage, reservation } of tries) {
    const charge = chargeOf(usage, reservation);
    state.spent = addSpend(state.spent, charge);
    countUnknown(state, usage, reservation);
    state.spentBy[provider] = roundMoney((state.spentBy[provider] ?? 0) + charge.costUsd);
  }
}
