import type { RunState } from '../../core/run/state.ts';
import type { RunOverview } from '../../schema/overview.ts';
import type { Top } from './top-state.ts';
import type { TranscriptItem } from './transcript-line.ts';
import { emptyTranscript, withEarlier, withLater } from './transcript-view.ts';

/** A change that arrives from the engine or an action. */
export type Update =
  | { kind: 'runs'; runs: ReadonlyMap<string, RunOverview>; engine: 'running' | 'none' }
  | { kind: 'run'; run: RunOverview }
  | { kind: 'removed'; run: string }
  | { kind: 'state'; state: RunState }
  | { kind: 'opened'; rows: readonly TranscriptItem[]; earlier: number }
  | { kind: 'later'; rows: readonly TranscriptItem[] }
  | { kind: 'earlier'; rows: readonly TranscriptItem[]; earlier: number }
  | { kind: 'message'; text: string; isError: boolean };

/** The state after an update; a message never replaces a line that is being typed or a question. */
export function applyUpdate(top: Top, update: Update): Top {
  switch (update.kind) {
    case 'runs':
      return { ...top, runs: update.runs, engine: update.engine };
    case 'run':
      return { ...top, runs: new Map(top.runs).set(update.run.run, update.run) };
    case 'removed': {
      const runs = new Map(top.runs);
      runs.delete(update.run);
      return { ...top, runs };
    }
    case 'state':
      return { ...top, state: update.state };
    case 'opened':
      return { ...top, transcript: withLater({ ...emptyTranscript(), earlier: update.earlier }, update.rows) };
    case 'later':
      return { ...top, transcript: withLater(top.transcript, update.rows) };
    case 'earlier':
      return { ...top, transcript: withEarlier(top.transcript, update.rows, update.earlier) };
    case 'message': {
      const isBusy = top.line.kind !== 'keys' && top.line.kind !== 'message';
      return isBusy ? top : { ...top, line: { kind: 'message', text: update.text, isError: update.isError } };
    }
  }
}
