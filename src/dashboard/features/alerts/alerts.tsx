import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { onRunChange, useOverview } from '../../api/run-overview.ts';
import { runPath } from '../../ui/browser/page-paths.ts';
import { showOnDesktop, useTheme } from '../../ui/browser/preferences.ts';
import { notify } from '../../ui/feedback/notices.ts';
import { useTitle } from '../../ui/layout/page.tsx';
import type { Look } from '../../ui/state/display-state.ts';
import { statePath } from '../../ui/state/state-mark.tsx';
import { newsOf, standingOf } from './run-notification.ts';

/** A hand of five strokes: what the tab shows while nothing is going on. */
const CALM = 'M3 13V7M5.5 13V4M8 13V2.5M10.5 13V4M13 13V7';

const NAME = 'Manyhands';

/** Says what a person should hear of: in the page, on the desktop if they want it, in the tab's title and icon. */
export function Alerts(): null {
  const { waiting, look } = standingOf(useOverview().runs);
  const [here, navigate] = useLocation();
  const theme = useTheme();
  const title = useTitle();
  useEffect(
    () =>
      onRunChange((before, after) => {
        const news = newsOf(before, after);
        if (news === undefined) return;
        const to = runPath(after.run);
        if (!here.startsWith(to)) notify({ ...news, kind: news.kind === 'trouble' ? 'news' : news.kind, to });
        const tag = `${after.run} ${after.version}`;
        showOnDesktop({ title: NAME, text: news.text, tag, onOpen: () => navigate(to) });
      }),
    [here, navigate],
  );
  useEffect(() => {
    const name = title === '' ? NAME : `${title} · ${NAME}`;
    document.title = waiting === 0 ? name : `(${waiting}) ${name}`;
  }, [waiting, title]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme has other colours
  useEffect(() => {
    const colours = getComputedStyle(document.documentElement);
    const colour = colours.getPropertyValue(look === undefined ? '--accent' : `--state-${look}`).trim();
    document.querySelector('link[rel="icon"]')?.setAttribute('href', favicon(look, colour));
  }, [look, theme]);
  return null;
}

/** The tab's icon: the drawing of the most urgent state in its colour. */
function favicon(look: Look | undefined, colour: string): string {
  const path = look === undefined ? CALM : statePath(look);
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="none" stroke="${colour}" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"><path d="${path}"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(drawing)}`;
}
