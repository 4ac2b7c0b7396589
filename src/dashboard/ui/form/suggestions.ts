import { createContext, useContext } from 'react';

/** What may be meant in a field, by its path: names that are known, of which one need not be. */
export type Suggestions = Readonly<Record<string, readonly string[]>>;

export const SuggestionsContext = createContext<Suggestions>({});

const NONE: readonly string[] = [];

export function useSuggestions(path: string): readonly string[] {
  return useContext(SuggestionsContext)[path] ?? NONE;
}
