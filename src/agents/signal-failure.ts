import { constants } from 'node:os';
import type { Failure } from '../schema/failure.ts';

const { SIGHUP, SIGINT, SIGKILL, SIGTERM } = constants.signals;
const BY_EXIT: ReadonlyMap<number, Failure> = new Map([
  [128 + SIGHUP, { kind: 'interrupted', message: 'It was ended by SIGHUP' }],
  [128 + SIGINT, { kind: 'interrupted', message: 'It was ended by SIGINT' }],
  [128 + SIGTERM, { kind: 'interrupted', message: 'It was ended by SIGTERM' }],
  [128 + SIGKILL, { kind: 'killed', message: 'It was ended by SIGKILL' }],
]);

/** For programs that never exit by a signal themselves: such an exit code means that they were terminated externally. */
export function signalFailure(code: number): Failure | undefined {
  return BY_EXIT.get(code);
}
