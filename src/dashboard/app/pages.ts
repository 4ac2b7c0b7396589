import { type ComponentType, lazy } from 'react';
import type { IconName } from '../ui/icon.tsx';

/** A page of the dashboard; one with a drawing stands in the navigation. */
export type Page = { path: string; title: string; icon?: IconName; view: ComponentType };

/** Every page with its address. Pages are loaded when they are first looked at. */
export const PAGES: readonly Page[] = [
  {
    path: '/',
    title: 'Home',
    icon: 'home',
    view: lazy(async () => ({ default: (await import('../features/home/home-page.tsx')).HomePage })),
  },
  {
    path: '/inbox',
    title: 'Inbox',
    icon: 'inbox',
    view: lazy(async () => ({ default: (await import('../features/inbox/inbox-page.tsx')).InboxPage })),
  },
  {
    path: '/history',
    title: 'History',
    icon: 'history',
    view: lazy(async () => ({ default: (await import('../features/history/history-page.tsx')).HistoryPage })),
  },
  {
    path: '/search',
    title: 'Search',
    icon: 'search',
    view: lazy(async () => ({ default: (await import('../features/search/search-page.tsx')).SearchPage })),
  },
  {
    path: '/usage',
    title: 'Usage',
    icon: 'usage',
    view: lazy(async () => ({ default: (await import('../features/usage/usage-page.tsx')).UsagePage })),
  },
  {
    path: '/models',
    title: 'Models',
    icon: 'models',
    view: lazy(async () => ({ default: (await import('../features/models/models-page.tsx')).ModelsPage })),
  },
  {
    path: '/templates',
    title: 'Templates',
    icon: 'templates',
    view: lazy(async () => ({ default: (await import('../features/templates/templates-page.tsx')).TemplatesPage })),
  },
  {
    path: '/batches',
    title: 'Batches',
    icon: 'batches',
    view: lazy(async () => ({ default: (await import('../features/batches/batches-page.tsx')).BatchesPage })),
  },
  {
    path: '/settings',
    title: 'Settings',
    icon: 'settings',
    view: lazy(async () => ({ default: (await import('../features/settings/settings-page.tsx')).SettingsPage })),
  },
  {
    path: '/start',
    title: 'New run',
    view: lazy(async () => ({ default: (await import('../features/start/start-page.tsx')).StartPage })),
  },
  {
    path: '/runs/:run',
    title: 'Run',
    view: lazy(async () => ({ default: (await import('../features/run/run-page.tsx')).RunPage })),
  },
  {
    path: '/runs/:run/tasks/:task',
    title: 'Task',
    view: lazy(async () => ({ default: (await import('../features/task/task-page.tsx')).TaskPage })),
  },
];
