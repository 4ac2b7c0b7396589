import { useSyncExternalStore } from 'react';

/** `system` follows the operating system. */
export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** `blocked`: the browser denied the permission; `unsupported`: it has no desktop notifications. */
export type DesktopNotifications = 'on' | 'off' | 'blocked' | 'unsupported';

const THEME = 'manyhands.theme';
const SINGLE_KEYS = 'manyhands.single-keys';
const DESKTOP_NOTIFICATIONS = 'manyhands.desktop-news';

const listeners = new Set<() => void>();

/** Applies the stored theme before the first render, and again when the system or another tab changes it. */
export function startTheme(): void {
  applyTheme();
  darkSystem().addEventListener('change', applyTheme);
  window.addEventListener('storage', publish);
}

export function setTheme(theme: Theme): void {
  store(THEME, theme);
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, currentTheme);
}

/** Whether a single letter triggers an action anywhere on a page; speech input can trigger them by accident. */
export function areSingleKeysOn(): boolean {
  return localStorage.getItem(SINGLE_KEYS) !== 'off';
}

export function setSingleKeys(isOn: boolean): void {
  store(SINGLE_KEYS, isOn ? 'on' : 'off');
}

export function useSingleKeys(): boolean {
  return useSyncExternalStore(subscribe, areSingleKeysOn);
}

/** Switches desktop notifications; switching them on for the first time asks for the browser's permission. */
export async function setDesktopNotifications(isOn: boolean): Promise<void> {
  if (isOn && Notification.permission === 'default') await Notification.requestPermission();
  store(DESKTOP_NOTIFICATIONS, isOn ? 'on' : 'off');
}

export function useDesktopNotifications(): DesktopNotifications {
  return useSyncExternalStore(subscribe, desktopNotifications);
}

type DesktopNotification = { title: string; text: string; tag: string; path: string; onOpen(): void };

/** Shows a desktop notification if they are on and the page is hidden. Every tab calls this; equal tags are shown once. */
export function showOnDesktop({ title, text, tag, path, onOpen }: DesktopNotification): void {
  if (document.visibilityState === 'visible' || desktopNotifications() !== 'on') return;
  try {
    const shown = new Notification(title, { body: text, tag });
    shown.onclick = () => {
      window.focus();
      onOpen();
    };
  } catch {
    // Mobile browsers allow it only to a service worker, which opens the page itself.
    void navigator.serviceWorker?.ready.then((worker) =>
      worker.showNotification(title, { body: text, tag, data: path }),
    );
  }
}

function desktopNotifications(): DesktopNotifications {
  if (typeof Notification === 'undefined') return 'unsupported';
  if (Notification.permission === 'denied') return 'blocked';
  return Notification.permission === 'granted' && localStorage.getItem(DESKTOP_NOTIFICATIONS) === 'on' ? 'on' : 'off';
}

function currentTheme(): Theme {
  const stored = localStorage.getItem(THEME);
  return THEMES.find((theme) => theme === stored) ?? 'system';
}

function applyTheme(): void {
  const theme = currentTheme();
  document.documentElement.dataset.theme = theme === 'system' ? (darkSystem().matches ? 'dark' : 'light') : theme;
}

function darkSystem(): MediaQueryList {
  return window.matchMedia('(prefers-color-scheme: dark)');
}

function store(key: string, value: string): void {
  localStorage.setItem(key, value);
  publish();
}

function publish(): void {
  applyTheme();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Under which this window keeps the draft of a new run. */
export const START_DRAFT = 'manyhands.start';

/** What a run began with. */
type Started = { recipe: string; input: unknown; dir: string };

/** Makes what a run began with the draft of a new run, in this window. */
export function draftFromRun({ recipe, input, dir }: Started): void {
  const draft = { recipe, dir, inputs: { [recipe]: input }, options: {}, file: '', isFromFile: false };
  sessionStorage.setItem(START_DRAFT, JSON.stringify(draft));
}
