import { useSyncExternalStore } from 'react';

/** `system` follows what the system says. */
export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'manyhands.theme';
const listeners = new Set<() => void>();

/** Puts the chosen theme on the page, and keeps to the system's; done before anything is drawn, so that nothing flashes. */
export function startTheme(): void {
  applyTheme();
  darkSystem().addEventListener('change', applyTheme);
}

export function setTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  applyTheme();
  for (const listener of listeners) listener();
}

/** The chosen theme; one that is chosen in another tab holds here too. */
export function useTheme(): Theme {
  return useSyncExternalStore(listen, currentTheme);
}

function applyTheme(): void {
  const theme = currentTheme();
  document.documentElement.dataset.theme = theme === 'system' ? (darkSystem().matches ? 'dark' : 'light') : theme;
}

function darkSystem(): MediaQueryList {
  return window.matchMedia('(prefers-color-scheme: dark)');
}

function currentTheme(): Theme {
  const kept = localStorage.getItem(KEY);
  return THEMES.find((theme) => theme === kept) ?? 'system';
}

function listen(changed: () => void): () => void {
  const elsewhere = ({ key }: StorageEvent) => {
    if (key !== KEY) return;
    applyTheme();
    changed();
  };
  listeners.add(changed);
  window.addEventListener('storage', elsewhere);
  return () => {
    listeners.delete(changed);
    window.removeEventListener('storage', elsewhere);
  };
}
