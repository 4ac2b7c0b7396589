import { useCallback, useState } from 'react';
import { isEmptyReview, mergeReviews, NO_REVIEW, type Review, readReview } from './draft-review.ts';

/** A review that is being written, and those of earlier versions of the same work that were never sent. */
export type DraftReviewState = {
  review: Review;
  change(next: Review): void;
  /** How many comments wait in earlier reviews. */
  earlierCount: number;
  mergeEarlier(): void;
  discard(): void;
};

/** A review that is kept in this browser until it is sent: a reload, another page, or newer work does not lose it. */
export function useDraftReview(work: string, commit: string): DraftReviewState {
  const storageKey = `${work} ${commit}`;
  const [review, setReview] = useState(() => readReview(stored(storageKey)));
  const [earlier, setEarlier] = useState(() => othersOf(work, storageKey));
  const change = useCallback(
    (next: Review) => {
      setReview(next);
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
    return Object.keys(localStorage)
      .filter((key) => key.startsWith(`${work} `) && key !== storageKey)
      .map((key) => ({ key, review: readReview(stored(key)) }))
      .filter(({ review }) => review.comments.length > 0);
  } catch {
    // A browser may forbid to keep anything; then nothing was kept.
    return [];
  }
}

function stored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    // A browser may forbid to keep anything.
    return null;
  }
}

function store(key: string, review: Review): void {
  try {
    if (isEmptyReview(review)) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(review));
  } catch {
    // A browser that keeps nothing still lets the review be written and sent.
  }
}
