import { useLocation, useRoute } from 'wouter';
import { useOverview } from '../api/overview.ts';
import { useOperation } from '../api/use-operation.ts';
import { notify } from '../look/notices.ts';
import { folderName, runPath, taskPath } from '../look/paths.ts';
import { lookOfRun, WORDS } from '../look/state.ts';
import { setTheme, THEMES } from '../look/theme.ts';
import type { Entry } from './entry.ts';
import { deedEntries } from './run-actions.ts';
import { tasksOf } from './run-tasks.ts';
import { useRunDeeds } from './use-run-deeds.ts';

/** A page as the palette names it. */
export type PageName = { path: string; title: string };

/** Everything that can be reached from here: actions of the run that is looked at, its tasks, pages, all runs. */
export function useEntries(pages: readonly PageName[]): Entry[] {
  const [, navigate] = useLocation();
  const [, onRun] = useRoute('/runs/:run/*?');
  const here = onRun?.run;
  const { runs } = useOverview();
  const recipes = useOperation('list-recipes', {}).data ?? [];
  const shown = useOperation('run-state', { run: here ?? '' }, { enabled: here !== undefined, fresh: true });
  const act = useRunDeeds();
  const current = runs.find(({ run }) => run === here);
  const go = (to: string) => () => navigate(to);
  return [
    ...(current === undefined ? [] : deedEntries(current, (deed) => act(current.run, deed))),
    ...(here === undefined ? [] : tasksOf(shown.data?.state)).map(
      ({ key, title, role }): Entry => ({
        id: `task ${here} ${key}`,
        title,
        group: 'Tasks',
        words: `${key} ${role}`,
        hint: key,
        run: go(taskPath(here ?? '', key)),
      }),
    ),
    ...pages.map(
      ({ path, title }): Entry => ({ id: `page ${path}`, title, group: 'Pages', words: 'go to', run: go(path) }),
    ),
    ...runs.map(
      (run): Entry => ({
        id: `run ${run.run}`,
        title: run.title,
        group: 'Runs',
        words: `${run.run} ${run.project} ${run.recipe}`,
        hint: `${folderName(run.project)} · ${WORDS[lookOfRun(run)]}`,
        run: go(runPath(run.run)),
      }),
    ),
    {
      id: 'copy-link',
      title: 'Copy the link of this page',
      group: 'Actions',
      run: () =>
        void navigator.clipboard.writeText(location.href).then(
          () => notify({ kind: 'done', text: 'The link is copied' }),
          () =>
            notify({
              kind: 'trouble',
              text: 'This browser does not let the page copy; take the link from the address bar',
            }),
        ),
    },
    ...recipes.map(
      ({ name, title, summary }): Entry => ({
        id: `new ${name}`,
        title: `New run: ${title}`,
        group: 'New run',
        hint: summary,
        run: go(`/start?recipe=${encodeURIComponent(name)}`),
      }),
    ),
    ...THEMES.map(
      (theme): Entry => ({
        id: `theme ${theme}`,
        title: theme === 'system' ? 'Colours as the system' : `${theme === 'dark' ? 'Dark' : 'Light'} colours`,
        group: 'Appearance',
        words: 'theme',
        run: () => setTheme(theme),
      }),
    ),
  ];
}
