import { AppError } from '../../errors.ts';
import type { CallKind, CallTry } from '../../schema/call.ts';
import type { RunEvent } from '../../schema/event.ts';
import type { TaskKey } from '../../schema/ids.ts';
import type { Spend } from '../../schema/usage.ts';
import type { RunState } from '../run/state.ts';

export type StartCall = { call: string; kind: CallKind; about?: TaskKey; reservation: Spend };
export type EndCall = { call: string; tries: CallTry[]; by?: string; answer?: unknown };

const NOT_ANSWERED = 'the engine ended before it was answered';

/** Puts a small question on record before anybody is asked. */
export function startCall(state: RunState, command: StartCall): RunEvent[] {
  if (state.status.kind === 'ended') throw new AppError('REFUSED', `Run ${state.start.run} has ended`);
  if (state.calls[command.call] !== undefined)
    throw new AppError('REFUSED', `The question "${command.call}" was asked before`);
  return [{ type: 'call.started', data: command }];
}

/** Puts on record who was asked and what the answer is; the answer to the question for a title is the title, unless a person gave one meanwhile. */
export function endCall(state: RunState, command: EndCall, title?: string): RunEvent[] {
  if (state.calls[command.call]?.ended !== null)
    throw new AppError('REFUSED', `The question "${command.call}" is not under way`);
  const ended: RunEvent = { type: 'call.ended', data: command };
  const isUntitled = title !== undefined && state.start.title.endsWith('…');
  return isUntitled ? [ended, { type: 'run.titled', data: { title } }] : [ended];
}

/** Ends the questions that a dead engine had under way: charged as they may have been answered, and not asked again. */
export function endOpenCalls(state: RunState): RunEvent[] {
  if (state.openCalls === 0) return [];
  return Object.entries(state.calls).flatMap(([call, { ended, reservation }]): RunEvent[] => {
    if (ended !== null) return [];
    const open: CallTry = { by: 'not known', usage: { kind: 'unknown' }, reservation, problem: NOT_ANSWERED };
    return [{ type: 'call.ended', data: { call, tries: [open] } }];
  });
}
