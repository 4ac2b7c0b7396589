/**
 * Keeps the frame of the page, so that the installed app opens without a network and says what it waits for. It answers
 * from its store only where the server does not answer; data of runs is never kept.
 */

const STORE = 'manyhands-shell';
const SHELL = '/';
/** Files of earlier builds are dropped beyond this number. */
const MAX_FILES = 120;

type WorkerEvent = Event & { waitUntil(work: Promise<unknown>): void };
type RequestEvent = WorkerEvent & { request: Request; respondWith(response: Promise<Response>): void };

// The library of a window has no type for the scope of a service worker.
const scope = globalThis as unknown as {
  addEventListener(type: 'install' | 'activate', listener: (event: WorkerEvent) => void): void;
  addEventListener(type: 'fetch', listener: (event: RequestEvent) => void): void;
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
};

scope.addEventListener('install', (event) => event.waitUntil(keepShell().then(() => scope.skipWaiting())));
scope.addEventListener('activate', (event) => event.waitUntil(scope.clients.claim()));
scope.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== location.origin || url.pathname.startsWith('/api/')) return;
  if (request.mode === 'navigate') event.respondWith(pageOrShell(request));
  else if (/-[A-Z0-9a-z]{8}\.(?:js|css)$/.test(url.pathname)) event.respondWith(file(request));
});

/** Stores the page and the files that it names. */
async function keepShell(): Promise<void> {
  const page = await fetch(SHELL, { credentials: 'same-origin' });
  if (!isShell(page)) return;
  const store = await caches.open(STORE);
  const text = await page.clone().text();
  await store.put(SHELL, page);
  const files = [...text.matchAll(/(?:src|href|content)="(\/[\w-]+\.(?:js|css|svg))"/g)].map(([, path = '']) => path);
  await Promise.all(files.map((path) => store.add(path)));
}

async function pageOrShell(request: Request): Promise<Response> {
  try {
    const page = await fetch(request);
    if (new URL(request.url).pathname === SHELL && isShell(page))
      await (await caches.open(STORE)).put(SHELL, page.clone());
    return page;
  } catch (error) {
    const kept = await caches.match(SHELL);
    if (kept === undefined) throw error;
    return kept;
  }
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
  if (answer.ok) {
    await store.put(request, answer.clone());
    const keys = await store.keys();
    await Promise.all(keys.slice(1, Math.max(1, keys.length - MAX_FILES)).map((old) => store.delete(old)));
  }
  return answer;
}
