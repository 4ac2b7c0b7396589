import { AppError } from '../../errors.ts';
import type { CallKind, CallTry } from '../../schema/call.ts';
import type { RunEvent } from '../../schema/event.ts';
import type { TaskKey } from '../../schema/ids.ts';
import type { Spend } from '../../schema/usage.ts';
import type { RunState } from '../run/state.ts';

export type StartCall = { call: string; kind: CallKind; about?: TaskKey; reservation: Spend };
export type EndCall = { call: string; tries: CallTry[]; by?: string; answer?: unknown };

const NOT_ANSWERED = 'the engine ended before it was answered';

/** Records a small call before any provider is called. */
export function startCall(state: RunState, command: StartCall): RunEvent[] {
  if (state.status.kind === 'ended')
    throw new AppError('REFUSED', `Run ${state.start.run} has ended`, { run: state.start.run });
  if (state.calls[command.call] !== undefined)
    throw new AppError('REFUSED', `The call "${command.call}" was made before`);
  return [{ type: 'call.started', data: command }];
}

/** Records the tries and the answer of a call; the answer of a title call becomes the title, unless a person set one in the meantime. */
export function endCall(state: RunState, command: EndCall, title?: string): RunEvent[] {
  if (state.calls[command.call]?.ended !== null)
    throw new AppError('REFUSED', `The call "${command.call}" is not open`);
  const ended: RunEvent = { type: 'call.ended', data: command };
  const isUntitled = title !== undefined && state.start.title.endsWith('…');
  return isUntitled ? [ended, { type: 'run.titled', data: { title } }] : [ended];
}

/** Ends the calls that a dead engine left open: they are charged, because they may have been answered, and not repeated. */
export function endOpenCalls(state: RunState): RunEvent[] {
  if (state.openCalls === 0) return [];
  return Object.entries(state.calls).flatMap(([call, { ended, reservation }]): RunEvent[] => {
    if (ended !== null) return [];
    const open: CallTry = { by: 'not known', usage: { kind: 'unknown' }, reservation, problem: NOT_ANSWERED };
    return [{ type: 'call.ended', data: { call, tries: [open] } }];
  });
}
