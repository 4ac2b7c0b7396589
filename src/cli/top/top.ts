import type { RunState } from '../../core/run/state.ts';
import type { RunOverview } from '../../schema/overview.ts';
import type { Size } from '../follow/live-area.ts';
import type { Action } from './action.ts';
import type { LineEdit } from './line-edit.ts';
import { emptyTranscript, type Transcript } from './transcript-view.ts';

/** Where the person is: among all runs, in one, or at the output of one of its tasks (by default its last attempt). */
export type Page =
  | { kind: 'runs' }
  | { kind: 'run'; run: string }
  | { kind: 'task'; run: string; task: string; attempt: number | null };

/** The bottom line: a hint of the keys, something that was said, a question, or a line that is being typed. */
type BottomLine =
  | { kind: 'keys' }
  | { kind: 'said'; text: string; isTrouble: boolean }
  | { kind: 'question'; text: string; deed: Action }
  | { kind: 'message'; run: string; task: string; edit: LineEdit }
  | { kind: 'filter'; edit: LineEdit };

/** All that the full-screen view shows and remembers. */
export type Top = {
  size: Size;
  /** The project whose runs are shown, by name; null for all. */
  scope: string | null;
  /** Whether an engine works on the runs; what is recorded is shown either way. */
  engine: 'looking' | 'running' | 'none';
  /** Undefined until the first list is complete. */
  runs: ReadonlyMap<string, RunOverview> | undefined;
  page: Page;
  /** The run that is open, folded as far as its events have come. */
  state: RunState | undefined;
  transcript: Transcript;
  /** What the cursor is on, by name: lists are put in order anew, and it stays on its row. */
  chosen: { run: string | null; task: string | null };
  /** Only rows with all these words are shown. */
  filters: Record<Page['kind'], string>;
  line: BottomLine;
  isHelp: boolean;
};

/** How it begins. */
export function beginTop(size: Size, scope: string | null): Top {
  return {
    size,
    scope,
    engine: 'looking',
    runs: undefined,
    page: { kind: 'runs' },
    state: undefined,
    transcript: emptyTranscript(),
    chosen: { run: null, task: null },
    filters: { runs: '', run: '', task: '' },
    line: { kind: 'keys' },
    isHelp: false,
  };
}

/** The run that the person is at: the open one, or the one under the cursor. */
export function overviewAt({ page, runs, chosen }: Top): RunOverview | undefined {
  const run = page.kind === 'runs' ? chosen.run : page.run;
  return run === null ? undefined : runs?.get(run);
}
