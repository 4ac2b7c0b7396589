import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { onRunChange, useOverview } from '../../api/run-overview.ts';
import { runPath } from '../../ui/browser/page-paths.ts';
import { showOnDesktop, useTheme } from '../../ui/browser/preferences.ts';
import { useNow } from '../../ui/browser/use-now.ts';
import { notify } from '../../ui/feedback/notices.ts';
import { useTitle } from '../../ui/layout/page.tsx';
import type { DisplayState } from '../../ui/state/display-state.ts';
import { stateIconPath } from '../../ui/state/state-mark.tsx';
import { notificationFor, tabStatus } from './run-notification.ts';

/** The tab icon while no run is active: a hand of five strokes. */
const IDLE_ICON = 'M3 13V7M5.5 13V4M8 13V2.5M10.5 13V4M13 13V7';

const NAME = 'Manyhands';

/** Announces changes of runs: as a notice, as a desktop notification, and in the tab's title and icon. */
export function Alerts(): null {
  const { waiting, displayState } = tabStatus(useOverview().runs, useNow(60_000));
  const [here, navigate] = useLocation();
  const theme = useTheme();
  const title = useTitle();
  useEffect(
    () =>
      onRunChange((before, after) => {
        const notification = notificationFor(before, after);
        if (notification === undefined) return;
        const to = runPath(after.run);
        if (!here.startsWith(to))
          notify({ ...notification, kind: notification.kind === 'error' ? 'info' : notification.kind, to });
        const tag = `${after.run} ${after.version}`;
        showOnDesktop({ title: NAME, text: notification.text, tag, onOpen: () => navigate(to) });
      }),
    [here, navigate],
  );
  useEffect(() => {
    const name = title === '' ? NAME : `${title} · ${NAME}`;
    document.title = waiting === 0 ? name : `(${waiting}) ${name}`;
  }, [waiting, title]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours depend on the theme
  useEffect(() => {
    const colours = getComputedStyle(document.documentElement);
    const colour = colours.getPropertyValue(displayState === undefined ? '--accent' : `--state-${displayState}`).trim();
    document.querySelector('link[rel="icon"]')?.setAttribute('href', favicon(displayState, colour));
  }, [displayState, theme]);
  return null;
}

/** The tab icon: the icon of the most urgent state in its colour. */
function favicon(displayState: DisplayState | undefined, colour: string): string {
  const path = displayState === undefined ? IDLE_ICON : stateIconPath(displayState);
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="none" stroke="${colour}" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"><path d="${path}"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(drawing)}`;
}
