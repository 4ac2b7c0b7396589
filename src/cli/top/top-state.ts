import type { RunState } from '../../core/run/state.ts';
import type { RunOverview } from '../../schema/overview.ts';
import type { Size } from '../follow/live-area.ts';
import type { Action } from './action.ts';
import type { LineEdit } from './line-edit.ts';
import { emptyTranscript, type Transcript } from './transcript-view.ts';

/** The current page: all runs, one run, or the output of one of its tasks (by default of its last attempt). */
export type Page =
  | { kind: 'runs' }
  | { kind: 'run'; run: string }
  | { kind: 'task'; run: string; task: string; attempt: number | null };

/** The bottom line: the keys, a message, a question, or a line that is being typed. */
type BottomLine =
  | { kind: 'keys' }
  | { kind: 'message'; text: string; isError: boolean }
  | { kind: 'question'; text: string; action: Action }
  | { kind: 'compose'; run: string; task: string; edit: LineEdit }
  | { kind: 'filter'; edit: LineEdit };

/** The state of the full-screen view. */
export type Top = {
  size: Size;
  /** The project whose runs are shown, by name; null for all. */
  scope: string | null;
  /** Whether an engine is running; the recorded state is shown either way. */
  engine: 'checking' | 'running' | 'none';
  /** Undefined until the first list is complete. */
  runs: ReadonlyMap<string, RunOverview> | undefined;
  page: Page;
  /** The open run, folded from the events received so far. */
  state: RunState | undefined;
  transcript: Transcript;
  /** The selected row, by id, so that it stays selected when a list is sorted again. */
  selected: { run: string | null; task: string | null };
  /** Only rows with all these words are shown. */
  filters: Record<Page['kind'], string>;
  line: BottomLine;
  isHelp: boolean;
};

/** The initial state. */
export function initialTop(size: Size, scope: string | null): Top {
  return {
    size,
    scope,
    engine: 'checking',
    runs: undefined,
    page: { kind: 'runs' },
    state: undefined,
    transcript: emptyTranscript(),
    selected: { run: null, task: null },
    filters: { runs: '', run: '', task: '' },
    line: { kind: 'keys' },
    isHelp: false,
  };
}

/** The current run: the open one, or the selected one. */
export function currentRun({ page, runs, selected }: Top): RunOverview | undefined {
  const run = page.kind === 'runs' ? selected.run : page.run;
  return run === null ? undefined : runs?.get(run);
}
