import { useCallback, useState } from 'react';
import { isEmptyReview, NO_REVIEW, type Review, readReview } from './review.ts';

/** A review that is kept in this browser until it is sent: a reload, or another page, does not lose it. */
export function useReview(place: string): { review: Review; change(next: Review): void } {
  const [held, setHeld] = useState(() => ({ place, review: stored(place) }));
  const review = held.place === place ? held.review : stored(place);
  const change = useCallback(
    (next: Review) => {
      setHeld({ place, review: next });
      try {
        if (isEmptyReview(next)) localStorage.removeItem(place);
        else localStorage.setItem(place, JSON.stringify(next));
      } catch {
        // A browser that keeps nothing still lets the review be written and sent.
      }
    },
    [place],
  );
  return { review, change };
}

function stored(place: string): Review {
  try {
    return readReview(localStorage.getItem(place));
  } catch {
    // A browser may forbid to keep anything.
    return NO_REVIEW;
  }
}
