import { useEffect, useState } from 'react';
import type { TranscriptHits } from '../../../../schema/transcript-page.ts';
import { call } from '../../../api/call.ts';
import { after } from '../../../ui/browser/clock.ts';
import type { Which } from './use-transcript.ts';

const PAUSE_MS = 200;
const MOST_HITS = 1_000;

/** Where a text stands in a transcript, and which of these places is looked at. */
export type Find = {
  text: string;
  hits: TranscriptHits['hits'];
  hasMore: boolean;
  at: number;
  isBusy: boolean;
  error: unknown;
  look(text: string): void;
  step(by: 1 | -1): void;
};

type Found = { text: string; hits: TranscriptHits['hits']; hasMore: boolean };
const NOTHING: Found = { text: '', hits: [], hasMore: false };

/** Looks for a text as it is typed; each place that it stops at is told. */
export function useFind({ run, task, attempt }: Which, onPlace: (row: number) => void): Find {
  const [text, look] = useState('');
  const [found, setFound] = useState(NOTHING);
  const [error, setError] = useState<unknown>();
  const [at, setAt] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the way to tell does not ask anew
  useEffect(() => {
    setError(undefined);
    if (text.trim() === '') {
      setFound(NOTHING);
      return;
    }
    const asking = new AbortController();
    const callOff = after(PAUSE_MS, () => {
      call('find-in-transcript', { run, task, attempt, text, limit: MOST_HITS }, asking.signal).then(
        ({ hits, more }) => {
          setFound({ text, hits, hasMore: more });
          setAt(0);
          const [first] = hits;
          if (first !== undefined) onPlace(first.id);
        },
        (thrown: unknown) => asking.signal.aborted || setError(thrown),
      );
    });
    return () => {
      callOff();
      asking.abort();
    };
  }, [run, task, attempt, text]);

  const step = (by: 1 | -1) => {
    const next = (at + by + found.hits.length) % Math.max(1, found.hits.length);
    const hit = found.hits[next];
    if (hit === undefined) return;
    setAt(next);
    onPlace(hit.id);
  };
  const isBusy = text.trim() !== '' && found.text !== text && error === undefined;
  return { text, hits: found.hits, hasMore: found.hasMore, at, isBusy, error, look, step };
}
