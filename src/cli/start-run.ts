import type { Caller } from '../operations/caller.ts';
import type { OperationInput } from '../schema/operation.ts';
import { cleanText } from './clean-text.ts';
import type { Terminal } from './terminal.ts';

/** Starts a run and says, before anything else is shown, what its owner should know about it. */
export async function startRun(
  terminal: Terminal,
  caller: Caller,
  request: OperationInput<'start-run'>,
): Promise<string[]> {
  const { run, notes } = await caller.call('start-run', request);
  for (const note of notes) terminal.err(`note: ${cleanText(note)}\n`);
  return [run];
}
