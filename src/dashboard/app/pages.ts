import type { ComponentType } from 'react';
import { lazyView } from '../ui/feedback/lazy-view.tsx';
import type { IconName } from '../ui/text/icon.tsx';

/** A page of the dashboard; one with an icon is listed in the navigation. */
export type Page = { path: string; title: string; icon?: IconName; view: ComponentType };

/** The number of placeholder lines while a page is loading. */
const LINES = 6;

/** Every page with its address; its module is loaded when it is first shown. */
export const PAGES: readonly Page[] = [
  {
    path: '/',
    title: 'Home',
    icon: 'home',
    view: lazyView(async () => (await import('../features/home/home-page.tsx')).HomePage, LINES),
  },
  {
    path: '/inbox',
    title: 'Inbox',
    icon: 'inbox',
    view: lazyView(async () => (await import('../features/inbox/inbox-page.tsx')).InboxPage, LINES),
  },
  {
    path: '/history',
    title: 'History',
    icon: 'history',
    view: lazyView(async () => (await import('../features/history/history-page.tsx')).HistoryPage, LINES),
  },
  {
    path: '/search',
    title: 'Search',
    icon: 'search',
    view: lazyView(async () => (await import('../features/search/search-page.tsx')).SearchPage, LINES),
  },
  {
    path: '/board',
    title: 'Board',
    icon: 'board',
    view: lazyView(async () => (await import('../features/board/board-page.tsx')).BoardPage, LINES),
  },
  {
    path: '/usage',
    title: 'Usage',
    icon: 'usage',
    view: lazyView(async () => (await import('../features/usage/usage-page.tsx')).UsagePage, LINES),
  },
  {
    path: '/models',
    title: 'Models',
    icon: 'models',
    view: lazyView(async () => (await import('../features/models/models-page.tsx')).ModelsPage, LINES),
  },
  {
    path: '/templates',
    title: 'Templates',
    icon: 'templates',
    view: lazyView(async () => (await import('../features/templates/templates-page.tsx')).TemplatesPage, LINES),
  },
  {
    path: '/batches',
    title: 'Batches',
    icon: 'batches',
    view: lazyView(async () => (await import('../features/batches/batches-page.tsx')).BatchesPage, LINES),
  },
  {
    path: '/knowledge',
    title: 'Knowledge',
    icon: 'knowledge',
    view: lazyView(async () => (await import('../features/knowledge/knowledge-page.tsx')).KnowledgePage, LINES),
  },
  {
    path: '/watch',
    title: 'Watcher',
    icon: 'eye',
    view: lazyView(async () => (await import('../features/watch/watch-page.tsx')).WatchPage, LINES),
  },
  {
    path: '/hosts',
    title: 'Hosts',
    icon: 'terminal',
    view: lazyView(async () => (await import('../features/hosts/hosts-page.tsx')).HostsPage, LINES),
  },
  {
    path: '/settings',
    title: 'Settings',
    icon: 'settings',
    view: lazyView(async () => (await import('../features/settings/settings-page.tsx')).SettingsPage, LINES),
  },
  {
    path: '/start',
    title: 'New run',
    view: lazyView(async () => (await import('../features/start/start-page.tsx')).StartPage, LINES),
  },
  {
    path: '/runs/:run',
    title: 'Run',
    view: lazyView(async () => (await import('../features/run/run-page.tsx')).RunPage, LINES),
  },
  {
    path: '/runs/:run/tasks/:task',
    title: 'Task',
    view: lazyView(async () => (await import('../features/task/task-page.tsx')).TaskPage, LINES),
  },
];
