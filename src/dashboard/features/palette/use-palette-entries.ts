import { useLocation } from 'wouter';
import { decisionPath } from '../../../core/view/decision-path.ts';
import type { RunOverview } from '../../../schema/overview.ts';
import { useOverview } from '../../api/run-overview.ts';
import { useAction, useOperation } from '../../api/use-operation.ts';
import { copyText } from '../../ui/browser/copy-text.ts';
import { IS_ON_OWN_MACHINE } from '../../ui/browser/own-machine.ts';
import { folderName, runPath, taskPath } from '../../ui/browser/page-paths.ts';
import { setTheme, THEMES } from '../../ui/browser/preferences.ts';
import { notify } from '../../ui/feedback/notices.ts';
import { runDisplayState, STATE_LABELS } from '../../ui/state/display-state.ts';
import { actionEntries, type Entry, type RunAction } from './palette-entries.ts';
import type { SelectedItem } from './selected-item.ts';

/** A task in the palette. */
type TaskName = { key: string; title: string; role: string };

/** A page in the palette. */
export type PageName = { path: string; title: string };

/** All entries of the palette: actions and tasks of the open run, pages, all runs, new runs, themes. */
export function useEntries(pages: readonly PageName[], selected: SelectedItem | undefined): Entry[] {
  const [, navigate] = useLocation();
  const here = selected?.run;
  const { runs } = useOverview();
  const recipes = useOperation('list-recipes', {}).data ?? [];
  const shown = useOperation('run-state', { run: here ?? '' }, { enabled: here !== undefined, fresh: true });
  const act = useRunActions();
  const stopEverything = useAction('cancel-all', { done: 'Cancelling everything; all work is kept' });
  const current = runs.find(({ run }) => run === here);
  const go = (to: string) => () => navigate(to);
  return [
    ...(current === undefined
      ? []
      : actionEntries(current, { task: selected?.task, isOnOwnMachine: IS_ON_OWN_MACHINE }, (action) =>
          act(current, action, selected?.task),
        )),
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
        hint: `${folderName(run.project)} · ${STATE_LABELS[runDisplayState(run)]}`,
        run: go(runPath(run.run)),
      }),
    ),
    {
      id: 'stop-everything',
      title: 'Stop everything: cancel all runs of all projects',
      group: 'Actions',
      words: 'cancel all',
      needsConfirmation: true,
      run: () => stopEverything.act({}),
    },
    {
      id: 'copy-link',
      title: 'Copy link to this page',
      group: 'Actions',
      run: () => void copy(location.href, 'Link copied'),
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
        title: `${theme === 'system' ? 'System' : theme === 'dark' ? 'Dark' : 'Light'} theme`,
        group: 'Appearance',
        words: 'theme',
        run: () => setTheme(theme),
      }),
    ),
  ];
}

async function copy(text: string, done: string): Promise<void> {
  if (await copyText(text)) notify({ kind: 'done', text: done });
  else notify({ kind: 'error', text: `The browser blocked copying: ${text}` });
}

/** The tasks of a run's state in order. */
function tasksOf(state: unknown): TaskName[] {
  const tasks = isObject(state) && isObject(state.tasks) ? state.tasks : {};
  return Object.entries(tasks).map(([key, task]) => {
    const spec = isObject(task) && isObject(task.spec) ? task.spec : {};
    return { key, title: textOf(spec.title) ?? key, role: textOf(spec.role) ?? '' };
  });
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** The address of a folder for an editor. */
function editorAddress(folder: string): string {
  const path = folder.replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/');
  return `vscode://file${path.startsWith('/') ? '' : '/'}${path}`;
}

/** Runs the actions of the palette. */
function useRunActions(): (run: RunOverview, action: RunAction, task: string | undefined) => void {
  const [, navigate] = useLocation();
  const retry = useAction('retry-run', { done: 'Retry started' });
  const pause = useAction('pause-run', { done: 'Paused' });
  const resume = useAction('resume-runs', { done: 'Resumed' });
  const cancel = useAction('cancel-run', { done: 'Cancelling; all work is kept' });
  const flag = useAction('flag-run', { done: 'Flagged' });
  const mark = useAction('mark-read');
  return ({ run, attention, live, branch, project }, action, task) => {
    const waits = attention.filter(({ what }) => what === 'plan' || what === 'held');
    const waiting = waits.find((item) => item.task === task) ?? waits[0];
    const review = () => navigate(waiting === undefined ? runPath(run) : decisionPath({ ...waiting, run }));
    const addressee = task ?? live[0]?.task;
    const acts: Record<RunAction, () => void> = {
      review,
      reject: review,
      message: () => navigate(addressee === undefined ? `${runPath(run)}?view=tasks` : taskPath(run, addressee)),
      'copy-branch': () => void copy(branch ?? `mh/${run}`, 'Name of the branch copied'),
      'open-editor': () => window.open(editorAddress(project)),
      'retry-run': () => retry.act(task === undefined ? { run } : { run, task }),
      'pause-run': () => pause.act({ run }),
      resume: () => resume.act({ run }),
      'cancel-run': () => cancel.act({ run }),
      land: () => navigate(`${runPath(run)}?view=changes`),
      'flag-run': () => flag.act({ run }),
      'mark-unread': () => mark.act({ run, read: false }),
    };
    acts[action]();
  };
}
