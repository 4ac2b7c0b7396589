import { useEffect, useState } from 'react';
import type { TranscriptHits } from '../../../../schema/transcript-page.ts';
import { call } from '../../../api/call.ts';
import { after } from '../../../ui/browser/clock.ts';
import type { AttemptRef } from './use-transcript.ts';

const PAUSE_MS = 200;
const MAX_HITS = 1_000;

/** The hits of a text in a transcript, and the current one. */
export type Find = {
  text: string;
  hits: TranscriptHits['hits'];
  hasMore: boolean;
  at: number;
  isBusy: boolean;
  error: unknown;
  search(text: string): void;
  step(by: 1 | -1): void;
};

type FindResult = { text: string; hits: TranscriptHits['hits']; hasMore: boolean };
const NO_RESULT: FindResult = { text: '', hits: [], hasMore: false };

/** Searches a text as it is typed; `onHit` gets the row of the current hit. */
export function useFind({ run, task, attempt }: AttemptRef, onHit: (row: number) => void): Find {
  const [text, search] = useState('');
  const [result, setResult] = useState(NO_RESULT);
  const [error, setError] = useState<unknown>();
  const [at, setAt] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new callback does not search again
  useEffect(() => {
    setError(undefined);
    if (text.trim() === '') {
      setResult(NO_RESULT);
      return;
    }
    const controller = new AbortController();
    const cancelTimer = after(PAUSE_MS, () => {
      call('find-in-transcript', { run, task, attempt, text, limit: MAX_HITS }, controller.signal).then(
        ({ hits, more }) => {
          setResult({ text, hits, hasMore: more });
          setAt(0);
          const [first] = hits;
          if (first !== undefined) onHit(first.id);
        },
        (thrown: unknown) => controller.signal.aborted || setError(thrown),
      );
    });
    return () => {
      cancelTimer();
      controller.abort();
    };
  }, [run, task, attempt, text]);

  const step = (by: 1 | -1) => {
    const next = (at + by + result.hits.length) % Math.max(1, result.hits.length);
    const hit = result.hits[next];
    if (hit === undefined) return;
    setAt(next);
    onHit(hit.id);
  };
  const isBusy = text.trim() !== '' && result.text !== text && error === undefined;
  return { text, hits: result.hits, hasMore: result.hasMore, at, isBusy, error, search, step };
}
