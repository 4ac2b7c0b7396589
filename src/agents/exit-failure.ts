import { constants } from 'node:os';
import type { Failure } from '../schema/failure.ts';
import type { AgentExit } from './agent.ts';

const LONGEST_MESSAGE = 500;

const { SIGHUP, SIGINT, SIGKILL, SIGTERM } = constants.signals;

const BY_EXIT: ReadonlyMap<number, Failure> = new Map([
  [128 + SIGHUP, { kind: 'interrupted', message: 'It was ended by SIGHUP' }],
  [128 + SIGINT, { kind: 'interrupted', message: 'It was ended by SIGINT' }],
  [128 + SIGTERM, { kind: 'interrupted', message: 'It was ended by SIGTERM' }],
  [128 + SIGKILL, { kind: 'killed', message: 'It was ended by SIGKILL' }],
]);

/** The failure that an exit code alone implies: none only for 0. Programs killed by a signal exit with 128 + its number. */
export function exitFailure(exit: AgentExit): Failure | undefined {
  if (exit.kind === 'interrupted') {
    return { kind: 'interrupted', message: 'It was stopped before it finished' };
  }
  if (exit.code === 0) return undefined;
  if (exit.code === 126) return { kind: 'environment', message: 'The program cannot be executed (exit code 126)' };
  if (exit.code === 127)
    return { kind: 'environment', message: 'The program, or one it calls, was not found (exit code 127)' };
  const signal = signalName(exit.code - 128);
  if (signal !== undefined) return { kind: 'crashed', message: `It was ended by ${signal}` };
  return { kind: 'implementation', message: `It ended with exit code ${exit.code}` };
}

function signalName(number: number): string | undefined {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
}

/** For programs that never exit by a signal themselves: such an exit code means that they were terminated externally. */
export function signalFailure(code: number): Failure | undefined {
  return BY_EXIT.get(code);
}

/** A program's error text, shortened for display in one line. */
export function failureMessage(text: string): string {
  const line = text.trim();
  return line.length > LONGEST_MESSAGE ? `${line.slice(0, LONGEST_MESSAGE)}…` : line;
}
