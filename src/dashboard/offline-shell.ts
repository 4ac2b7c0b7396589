/**
 * Keeps the frame of the page, so that the installed app opens without a network and says what it waits for. It answers
 * from its store only where the server does not answer; data of runs is never kept.
 */

const STORE = 'manyhands-shell';
const SHELL = '/';

type WorkerEvent = Event & { waitUntil(work: Promise<unknown>): void };
type ClickEvent = WorkerEvent & { notification: { data: unknown; close(): void } };
type PageClient = { focus(): Promise<unknown>; navigate(path: string): Promise<unknown> };
type RequestEvent = WorkerEvent & { request: Request; respondWith(response: Promise<Response>): void };

// The library of a window has no type for the scope of a service worker.
const scope = globalThis as unknown as {
  addEventListener(type: 'install' | 'activate', listener: (event: WorkerEvent) => void): void;
  addEventListener(type: 'notificationclick', listener: (event: ClickEvent) => void): void;
  addEventListener(type: 'fetch', listener: (event: RequestEvent) => void): void;
  skipWaiting(): Promise<void>;
  clients: {
    claim(): Promise<void>;
    matchAll(filter: { type: 'window' }): Promise<PageClient[]>;
    openWindow(path: string): Promise<unknown>;
  };
};

scope.addEventListener('install', (event) => event.waitUntil(keepShell().then(() => scope.skipWaiting())));
scope.addEventListener('activate', (event) => event.waitUntil(scope.clients.claim()));
scope.addEventListener('notificationclick', (event) => {
  const { notification } = event;
  notification.close();
  event.waitUntil(openPage(String(notification.data)));
});
scope.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== location.origin || url.pathname.startsWith('/api/')) return;
  if (request.mode === 'navigate') event.respondWith(pageOrShell(request));
  else if (/-[A-Z0-9a-z]{8}\.(?:js|css)$/.test(url.pathname)) event.respondWith(file(request));
});

/** Shows the page that a notification is about, in the window that is open. */
async function openPage(path: string): Promise<void> {
  const [open] = await scope.clients.matchAll({ type: 'window' });
  if (open === undefined) await scope.clients.openWindow(path);
  else await Promise.all([open.focus(), open.navigate(path)]);
}

/** Stores the page and the files that it names. */
async function keepShell(): Promise<void> {
  const page = await fetch(SHELL, { credentials: 'same-origin' });
  if (!isShell(page)) return;
  const store = await caches.open(STORE);
  const named = namedFiles(await page.clone().text());
  await store.put(SHELL, page);
  await Promise.all(named.map((path) => store.add(path)));
}

function namedFiles(page: string): string[] {
  return [...page.matchAll(/(?:src|href|content)="(\/[\w-]+\.(?:js|css|svg))"/g)].map(([, path = '']) => path);
}

async function pageOrShell(request: Request): Promise<Response> {
  try {
    const page = await fetch(request);
    if (new URL(request.url).pathname === SHELL && isShell(page)) await replaceShell(page.clone());
    return page;
  } catch (error) {
    const kept = await caches.match(SHELL);
    if (kept === undefined) throw error;
    return kept;
  }
}

/** With the page of another build, which names other files, the files of the earlier one are dropped. */
async function replaceShell(page: Response): Promise<void> {
  const store = await caches.open(STORE);
  const [before, now] = await Promise.all([(await store.match(SHELL))?.text(), page.clone().text()]);
  await store.put(SHELL, page);
  const named = namedFiles(now);
  if (before === undefined || namedFiles(before).join() === named.join()) return;
  const keys = await store.keys();
  const old = keys.filter(({ url }) => ![SHELL, ...named].includes(new URL(url).pathname));
  await Promise.all(old.map((request) => store.delete(request)));
}

/** Only the page of somebody who is logged in. */
function isShell({ ok, redirected, headers }: Response): boolean {
  return ok && !redirected && (headers.get('content-type') ?? '').startsWith('text/html');
}

/** The name of a file contains the hash of its content, so a stored one is never out of date. */
async function file(request: Request): Promise<Response> {
  const store = await caches.open(STORE);
  const kept = await store.match(request);
  if (kept !== undefined) return kept;
  const answer = await fetch(request);
  if (answer.ok) await store.put(request, answer.clone());
  return answer;
}
