import type { ServerResponse } from 'node:http';
import type { Hono } from 'hono';
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { readJson } from '../api/json-body.ts';
import type { HttpEnv } from '../bindings.ts';
import { contentPolicy } from '../headers.ts';
import type { Access } from './access.ts';

/** The page for a browser that is not logged in: how to log in. It contains no secret. */
const LOGIN_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>Manyhands: log in</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="/login.css" />
    <script type="module" src="/login.js"></script>
  </head>
  <body>
    <main>
      <h1>Manyhands</h1>
      <p id="status" role="status">This browser is not logged in.</p>
      <ol>
        <li>In a terminal on the machine where Manyhands runs, type <code>manyhands serve</code>.</li>
        <li>Open the link that it prints. It works once, for ten minutes.</li>
        <li>Or ask whoever shared a run with you for a new link: each works once, in one browser.</li>
      </ol>
      <form id="form">
        <label for="token">Or paste a token, as <code>manyhands token</code> prints it:</label>
        <div>
          <input id="token" name="token" type="password" autocomplete="off" required minlength="32" />
          <button type="submit">Log in</button>
        </div>
      </form>
    </main>
  </body>
</html>
`;

/**
 * The code is in the fragment, which browsers do not send and no log contains; it is removed from the address at once.
 * A link on another site opens without the cookie: if the browser is logged in, the requested page is loaded again.
 */
const LOGIN_SCRIPT = `const status = document.getElementById('status');
const fragment = new URLSearchParams(location.hash.slice(1));
const to = fragment.get('to') ?? (location.pathname === '/login' ? '/' : location.pathname + location.search);
const target = targetOf(to);
history.replaceState(null, '', location.pathname);

function targetOf(to) {
  try {
    const url = new URL(to, location.origin);
    return url.origin === location.origin && !url.pathname.startsWith('//') ? url.href : '/';
  } catch {
    return '/';
  }
}

async function logIn(credential) {
  status.textContent = 'Logging in …';
  try {
    const answer = await fetch('/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(credential),
    });
    if (answer.ok) return location.replace(target);
    const problem = await answer.json();
    status.textContent = problem.detail + '. ' + problem.hint;
  } catch {
    status.textContent = 'The server does not answer. Is manyhands serve still running?';
  }
}

document.getElementById('form').addEventListener('submit', (event) => {
  event.preventDefault();
  logIn({ token: document.getElementById('token').value.trim() });
});
if (fragment.has('code')) logIn({ code: fragment.get('code') });
else if (location.pathname !== '/login' && (await fetch('/api/session')).ok) location.replace(target);
`;

const LOGIN_STYLE = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; display: grid; min-height: 100vh; place-items: center; }
main { max-width: 34rem; padding: 2rem; }
h1 { font-size: 1.25rem; margin: 0 0 1rem; }
code { font: 0.9em ui-monospace, monospace; background: light-dark(#eef0f3, #24282e); padding: 0.1em 0.35em; border-radius: 4px; }
li { margin: 0.4rem 0; }
form { margin-top: 1.5rem; }
form div { display: flex; gap: 0.5rem; margin-top: 0.4rem; }
input { flex: 1; min-width: 0; font: inherit; padding: 0.4rem 0.6rem; border: 1px solid light-dark(#8a919b, #6b727c); border-radius: 6px; }
button { font: inherit; padding: 0.4rem 0.9rem; border: 1px solid light-dark(#1f5fbf, #7fb0ff); border-radius: 6px; background: light-dark(#1f5fbf, #7fb0ff); color: light-dark(#fff, #0d1117); cursor: pointer; }
:focus-visible { outline: 2px solid light-dark(#1f5fbf, #7fb0ff); outline-offset: 2px; }
`;

const Credential = z.union([
  z.strictObject({ code: z.string().max(200) }),
  z.strictObject({ token: z.string().max(200) }),
]);

/** The only routes that need no login. */
export const PUBLIC_ROUTES = ['GET /login', 'GET /login.js', 'GET /login.css', 'POST /login'] as const;

/** Whether a request needs no login. */
export function isPublic(method: string, path: string): boolean {
  const route = `${method === 'HEAD' ? 'GET' : method} ${path}`;
  return PUBLIC_ROUTES.some((open) => open === route);
}

/** Logging in and out. */
export function addLoginRoutes(app: Hono<HttpEnv>, access: Access): void {
  app.get('/login', () => text(LOGIN_PAGE, 'text/html'));
  app.get('/login.js', () => text(LOGIN_SCRIPT, 'text/javascript'));
  app.get('/login.css', () => text(LOGIN_STYLE, 'text/css'));
  app.post('/login', async (c) => {
    const credential = Credential.safeParse(await readJson(c.env.incoming));
    if (!credential.success) throw new AppError('REQUEST_INVALID', 'Send { "code" } or { "token" }');
    const { role, cookie } = await access.logIn(credential.data, c.env.incoming);
    return c.json({ role }, 200, { 'set-cookie': cookie });
  });
  app.post('/logout', async (c) => {
    for (const cookie of await access.logOut(c.env.incoming)) c.header('set-cookie', cookie, { append: true });
    return c.json({});
  });
}

/** Answers a browser that is not logged in with the login page. */
export function sendLoginPage(outgoing: ServerResponse): void {
  outgoing.writeHead(401, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': contentPolicy(),
  });
  outgoing.end(LOGIN_PAGE);
}

function text(body: string, type: string): Response {
  return new Response(body, {
    headers: { 'content-type': `${type}; charset=utf-8`, 'content-security-policy': contentPolicy() },
  });
}
