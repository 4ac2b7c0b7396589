import { useSyncExternalStore } from 'react';
import { languageCount, onLanguage } from './highlight.ts';

/** Draws again when a language has come. */
export function useColours(): void {
  useSyncExternalStore(onLanguage, languageCount);
}
