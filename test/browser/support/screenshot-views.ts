import type { Page } from 'playwright-core';
import type { ShopRuns } from './screenshot-runs.ts';

/** A page, and what is opened on it before the picture is taken. */
export type Picture = { path: string; prepare?(page: Page): Promise<void> };

/** The pictures of pages, by name. */
export function picturesOf(runs: ShopRuns): Record<string, Picture> {
  const { done: run, planned, held, failed, choice, asking, unverified, tracks } = runs;
  const paths = {
    home: '/',
    timeline: `/runs/${run}`,
    graph: `/runs/${run}?view=graph`,
    tasks: `/runs/${run}?view=tasks`,
    changes: `/runs/${run}?view=changes`,
    events: `/runs/${run}?view=events`,
    cost: `/runs/${run}?view=cost`,
    report: `/runs/${run}?view=report`,
    plan: `/runs/${planned}?view=plan`,
    attempts: `/runs/${run}/tasks/${encodeURIComponent('implement/1.4')}?view=attempts`,
    transcript: `/runs/${run}/tasks/${encodeURIComponent('implement/1.1')}`,
    diff: `/runs/${run}/tasks/${encodeURIComponent('implement/1.1')}?view=diff`,
    gates: `/runs/${run}/tasks/${encodeURIComponent('implement/1.4')}?view=gates`,
    held: `/runs/${held}/tasks/${encodeURIComponent('job/1')}?view=diff`,
    failed: `/runs/${failed}`,
    choice: `/runs/${choice}`,
    inbox: '/inbox',
    board: '/board',
    'board-runs': '/board?show=runs',
    history: '/history',
    models: '/models',
    start: '/start',
    usage: '/usage',
    settings: '/settings',
    schedules: '/settings?view=schedules',
    templates: '/templates?name=shelf',
    hosts: '/hosts',
    batches: '/batches',
    knowledge: '/knowledge',
    watcher: '/watch',
    search: '/search?q=prices',
    question: `/runs/${asking}/tasks/${encodeURIComponent('job/1')}`,
    tracks: `/runs/${tracks}`,
  };
  return {
    ...Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, { path }])),
    land: { path: `/runs/${unverified}`, prepare: openLandPanel },
    rejection: { path: `/runs/${held}/tasks/${encodeURIComponent('job/1')}?view=diff`, prepare: openRejection },
    palette: { path: '/', prepare: (page) => page.keyboard.press('Control+k') },
    keys: { path: '/', prepare: (page) => page.keyboard.press('?') },
  };
}

async function openLandPanel(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Land on main' }).click();
  await page.getByRole('heading', { name: 'Land on main?' }).waitFor();
}

async function openRejection(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Reject…' }).click();
  await page.getByRole('textbox', { name: 'Reason of the rejection' }).fill('Keep the checks as they are.');
}
