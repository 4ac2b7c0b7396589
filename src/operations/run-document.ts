import type { App } from '../app.ts';
import type { RunState } from '../core/run/state.ts';
import { runDocument } from '../core/view/document.ts';
import { outputReader } from '../engine/loop/ledger.ts';
import type { RunDocument } from '../schema/document.ts';

/** The document of a run with the outputs of its checks, which its state does not keep. */
export function documentOf({ store }: Pick<App, 'store'>, state: RunState): RunDocument {
  return runDocument(state, outputReader(store, state.start.run));
}
