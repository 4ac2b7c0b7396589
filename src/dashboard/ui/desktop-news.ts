import { useSyncExternalStore } from 'react';

/** Whether news are shown on the desktop: a person's choice, and whether the browser lets us. */
export type DesktopNotifications = 'on' | 'off' | 'refused' | 'impossible';

const KEY = 'manyhands.desktop-news';
const listeners = new Set<() => void>();

/** How it stands now. */
function desktopNotifications(): DesktopNotifications {
  if (typeof Notification === 'undefined') return 'impossible';
  if (Notification.permission === 'denied') return 'refused';
  return Notification.permission === 'granted' && localStorage.getItem(KEY) === 'on' ? 'on' : 'off';
}

export function useDesktopNotifications(): DesktopNotifications {
  return useSyncExternalStore(listen, desktopNotifications);
}

/** Switches them; the browser asks the person the first time, and only here. */
export async function setDesktopNotifications(isOn: boolean): Promise<void> {
  if (isOn && Notification.permission === 'default') await Notification.requestPermission();
  localStorage.setItem(KEY, isOn ? 'on' : 'off');
  for (const listener of listeners) listener();
}

/** Shows news on the desktop if they are wanted and nobody looks at the page. Every tab says so; the same tag makes them one. */
export function showOnDesktop(news: { title: string; text: string; tag: string; onOpen(): void }): void {
  if (document.visibilityState === 'visible' || desktopNotifications() !== 'on') return;
  try {
    const shown = new Notification(news.title, { body: news.text, tag: news.tag });
    shown.onclick = () => {
      window.focus();
      news.onOpen();
    };
  } catch {
    // Browsers of phones let only a service worker do so; the page and its tab say it all the same.
  }
}

function listen(changed: () => void): () => void {
  listeners.add(changed);
  window.addEventListener('storage', changed);
  return () => {
    listeners.delete(changed);
    window.removeEventListener('storage', changed);
  };
}
