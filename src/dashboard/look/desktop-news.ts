import { useSyncExternalStore } from 'react';

/** Whether news are shown on the desktop: a person's choice, and whether the browser lets us. */
export type DesktopNews = 'on' | 'off' | 'refused' | 'impossible';

const KEY = 'manyhands.desktop-news';
const listeners = new Set<() => void>();

/** How it stands now. */
export function desktopNews(): DesktopNews {
  if (typeof Notification === 'undefined') return 'impossible';
  if (Notification.permission === 'denied') return 'refused';
  return Notification.permission === 'granted' && localStorage.getItem(KEY) === 'on' ? 'on' : 'off';
}

export function useDesktopNews(): DesktopNews {
  return useSyncExternalStore(listen, desktopNews);
}

/** Switches them; the browser asks the person the first time, and only here. */
export async function setDesktopNews(isOn: boolean): Promise<void> {
  if (isOn && Notification.permission === 'default') await Notification.requestPermission();
  localStorage.setItem(KEY, isOn ? 'on' : 'off');
  for (const listener of listeners) listener();
}

function listen(changed: () => void): () => void {
  listeners.add(changed);
  window.addEventListener('storage', changed);
  return () => {
    listeners.delete(changed);
    window.removeEventListener('storage', changed);
  };
}
