import { useState } from 'react';

/** A choice that this browser remembers; anything but one of the choices is the first of them. */
export function useKept<T extends string>(name: string, choices: readonly [T, ...T[]]): [T, (choice: T) => void] {
  const [chosen, setChosen] = useState<T>(() => choices.find((each) => each === kept(name)) ?? choices[0]);
  const choose = (choice: T) => {
    setChosen(choice);
    try {
      localStorage.setItem(name, choice);
    } catch {
      // A browser that keeps nothing forgets the choice with the page.
    }
  };
  return [chosen, choose];
}

function kept(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    // A browser may forbid to keep anything.
    return null;
  }
}
