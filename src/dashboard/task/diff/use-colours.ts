import { useSyncExternalStore } from 'react';
import { languageCount, onLanguage } from './highlight.ts';

/** Draws again when a language has come; the number of them tells rows that they are to be drawn anew. */
export function useColours(): number {
  return useSyncExternalStore(onLanguage, languageCount);
}
