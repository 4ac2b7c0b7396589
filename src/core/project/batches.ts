import type { ProjectEvent } from '../../schema/event.ts';
import type { BatchStart } from '../../schema/request.ts';
import { addCollection } from './collection.ts';
import { hasCollection, type ProjectState } from './project-state.ts';

/** Starts a batch; the collection of its runs is created if necessary. */
export function recordBatch(state: ProjectState, start: BatchStart): ProjectEvent[] {
  const added = hasCollection(state, start.collection) ? [] : addCollection(state, start.collection);
  return [...added, { type: 'batch.started', data: start }];
}

/** The id of the next start of a batch whose runs are filed in this collection; ids of batches in progress are not used again. */
export function nextBatchId({ batches }: ProjectState, collection: string): string {
  const taken = new Set(Object.keys(batches));
  let number = 1;
  while (taken.has(`${collection}/${number}`)) number += 1;
  return `${collection}/${number}`;
}

/** Ends a batch, once; `code` is that of the error that ended it. */
export function endBatch(
  { batches }: ProjectState,
  end: { batch: string; reason: string; code?: string },
): ProjectEvent[] {
  return batches[end.batch] === undefined ? [] : [{ type: 'batch.ended', data: end }];
}
