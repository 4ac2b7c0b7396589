import type { RunState } from '../../core/run/state.ts';
import type { RunOverview } from '../../schema/overview.ts';
import type { Top } from './top.ts';
import type { TranscriptItem } from './transcript-line.ts';
import { emptyTranscript, withEarlier, withLater } from './transcript-view.ts';

/** What comes from outside while the person looks. */
export type News =
  | { kind: 'runs'; runs: ReadonlyMap<string, RunOverview>; engine: 'running' | 'none' }
  | { kind: 'run'; run: RunOverview }
  | { kind: 'removed'; run: string }
  | { kind: 'state'; state: RunState }
  | { kind: 'opened'; rows: readonly TranscriptItem[]; earlier: number }
  | { kind: 'later'; rows: readonly TranscriptItem[] }
  | { kind: 'earlier'; rows: readonly TranscriptItem[]; earlier: number }
  | { kind: 'said'; text: string; isTrouble: boolean };

/** The picture after something was heard; what is being typed or asked is never taken away. */
export function hear(top: Top, news: News): Top {
  switch (news.kind) {
    case 'runs':
      return { ...top, runs: news.runs, engine: news.engine };
    case 'run':
      return { ...top, runs: new Map(top.runs).set(news.run.run, news.run) };
    case 'removed': {
      const runs = new Map(top.runs);
      runs.delete(news.run);
      return { ...top, runs };
    }
    case 'state':
      return { ...top, state: news.state };
    case 'opened':
      return { ...top, transcript: withLater({ ...emptyTranscript(), earlier: news.earlier }, news.rows) };
    case 'later':
      return { ...top, transcript: withLater(top.transcript, news.rows) };
    case 'earlier':
      return { ...top, transcript: withEarlier(top.transcript, news.rows, news.earlier) };
    case 'said': {
      const isBusy = top.line.kind !== 'keys' && top.line.kind !== 'said';
      return isBusy ? top : { ...top, line: { kind: 'said', text: news.text, isTrouble: news.isTrouble } };
    }
  }
}
