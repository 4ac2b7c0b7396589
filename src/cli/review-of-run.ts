import type { Caller } from '../operations/caller.ts';
import type { RunDocument } from '../schema/document.ts';
import type { OperationInput } from '../schema/operation.ts';
import { cleanText } from './clean-text.ts';
import type { Session } from './platform.ts';

type Options = OperationInput<'start-run'>['options'];

/** Starts a review of each pull request that a run has opened; gives the runs that review them. */
export async function reviewsOf(
  { platform }: Session,
  { document, caller, yes, options }: { document: RunDocument; caller: Caller; yes: boolean; options: Options },
): Promise<string[]> {
  if (document.recipe === 'review') return [];
  const { terminal } = platform;
  if (document.landed?.how !== 'pr') {
    terminal.err(`note: There is nothing to review: run ${document.run} opened no pull request\n`);
    return [];
  }
  const { land: _, base: __, title: ___, ...rest } = options;
  const runs: string[] = [];
  const pulls = await caller.call('list-pull-requests', { dir: options.dir, run: document.run, fromRun: true });
  for (const { number } of pulls) {
    const { run, notes } = await caller.call('review-pull-request', { number, yes, options: rest });
    for (const note of notes) terminal.err(`note: ${cleanText(note)}\n`);
    runs.push(run);
  }
  return runs;
}
