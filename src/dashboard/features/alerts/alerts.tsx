import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import type { RunOverview } from '../../../schema/overview.ts';
import { onRunChange, useOverview } from '../../api/run-overview.ts';
import { after as afterPause } from '../../ui/browser/clock.ts';
import { runPath } from '../../ui/browser/page-paths.ts';
import { showOnDesktop, useTheme } from '../../ui/browser/preferences.ts';
import { useNow } from '../../ui/browser/use-now.ts';
import { notify } from '../../ui/feedback/notices.ts';
import { useTitle } from '../../ui/layout/page.tsx';
import type { DisplayState } from '../../ui/state/display-state.ts';
import { stateIconPath } from '../../ui/state/state-mark.tsx';
import { interruptionBy, notificationFor, type RunNotification, tabStatus } from './run-notification.ts';

/** The tab icon while no run is active: a hand of five strokes. */
const IDLE_ICON = 'M3 13V7M5.5 13V4M8 13V2.5M10.5 13V4M13 13V7';

const NAME = 'Manyhands';
/** A server that starts resumes its runs within seconds. */
const INTERRUPTED_MS = 60_000;

/** Announces changes of runs: as a notice, as a desktop notification, and in the tab's title and icon. */
export function Alerts(): null {
  const { waiting, displayState } = tabStatus(useOverview().runs, useNow(60_000));
  const [here, navigate] = useLocation();
  const theme = useTheme();
  const title = useTitle();
  const announce = useRef<(run: RunOverview, notification: RunNotification) => void>(undefined);
  announce.current = (run, notification) => {
    const to = runPath(run.run);
    if (!here.startsWith(to))
      notify({ ...notification, kind: notification.kind === 'error' ? 'info' : notification.kind, to });
    const tag = `${run.run} ${run.version}`;
    showOnDesktop({ title: NAME, text: notification.text, tag, path: to, onOpen: () => navigate(to) });
  };
  useEffect(() => announceChanges((run, notification) => announce.current?.(run, notification)), []);
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

/** Announces changes until the returned function is called; an interruption only if it lasts. */
function announceChanges(announce: (run: RunOverview, notification: RunNotification) => void): () => void {
  const interrupted = new Map<string, () => void>();
  const forget = (run: string) => {
    interrupted.get(run)?.();
    interrupted.delete(run);
  };
  const stop = onRunChange((before, after) => {
    const notification = notificationFor(before, after);
    if (notification !== undefined) announce(after, notification);
    const interruption = interruptionBy(before, after);
    if (interruption !== undefined) forget(after.run);
    if (interruption !== 'began') return;
    const text = `${after.title} is interrupted: no engine is running it`;
    interrupted.set(
      after.run,
      afterPause(INTERRUPTED_MS, () => announce(after, { kind: 'info', text })),
    );
  });
  return () => {
    stop();
    for (const run of interrupted.keys()) forget(run);
  };
}

/** The tab icon: the icon of the most urgent state in its colour. */
function favicon(displayState: DisplayState | undefined, colour: string): string {
  const path = displayState === undefined ? IDLE_ICON : stateIconPath(displayState);
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="none" stroke="${colour}" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"><path d="${path}"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(drawing)}`;
}
