import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { onRunChange, useOverview } from '../api/overview.ts';
import { showOnDesktop } from '../look/desktop-news.ts';
import { notify } from '../look/notices.ts';
import { useTitle } from '../look/page-title.ts';
import { runPath } from '../look/paths.ts';
import { useTheme } from '../look/theme.ts';
import { favicon } from './favicon.ts';
import { newsOf, standingOf } from './news.ts';

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
