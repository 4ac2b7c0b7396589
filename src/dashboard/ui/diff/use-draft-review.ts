import { useCallback, useRef, useState } from 'react';
import { earlierKeys, isEmptyReview, mergeReviews, NO_REVIEW, type Review, readReview } from './draft-review.ts';

/** The unsent review, and unsent reviews of earlier versions of the same work. */
export type DraftReviewState = {
  review: Review;
  change(next: Review): void;
  /** The number of comments in unsent earlier reviews. */
  earlierCount: number;
  mergeEarlier(): void;
  discard(): void;
};

/** An unsent review that is stored in this browser; it survives a reload, navigation and newer work. */
export function useDraftReview(work: string, commit: string): DraftReviewState {
  const storageKey = `${work} ${commit}`;
  const [review, setReview] = useState(() => readReview(stored(storageKey)));
  const [earlier, setEarlier] = useState(() => othersOf(work, storageKey));
  const storedAt = useRef(storageKey);
  const change = useCallback(
    (next: Review) => {
      setReview(next);
      // The work has changed since: its review moves with it.
      if (storedAt.current !== storageKey) store(storedAt.current, NO_REVIEW);
      storedAt.current = storageKey;
      store(storageKey, next);
    },
    [storageKey],
  );
  const discard = () => {
    for (const { key } of earlier) store(key, NO_REVIEW);
    setEarlier([]);
  };
  const mergeEarlier = () => {
    change(earlier.reduce((sum, each) => mergeReviews(sum, each.review), review));
    discard();
  };
  return {
    review,
    change,
    earlierCount: earlier.reduce((sum, each) => sum + each.review.comments.length, 0),
    mergeEarlier,
    discard,
  };
}

function othersOf(work: string, storageKey: string): { key: string; review: Review }[] {
  try {
    return earlierKeys(Object.keys(localStorage), work, storageKey)
      .map((key) => ({ key, review: readReview(stored(key)) }))
      .filter(({ review }) => review.comments.length > 0);
  } catch {
    // Storage may be disabled; then nothing is stored.
    return [];
  }
}

function stored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    // Storage may be disabled.
    return null;
  }
}

function store(key: string, review: Review): void {
  try {
    if (isEmptyReview(review)) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(review));
  } catch {
    // Without storage the review can still be written and sent.
  }
}
