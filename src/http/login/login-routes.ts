import type { ServerResponse } from 'node:http';
import type { Hono } from 'hono';
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { readJson } from '../api/json-body.ts';
import type { HttpEnv } from '../bindings.ts';
import { contentPolicy } from '../headers.ts';
import type { Access } from './access.ts';
import { LOGIN_PAGE, LOGIN_SCRIPT, LOGIN_STYLE } from './login-page.ts';

const Shown = z.union([z.strictObject({ code: z.string().max(200) }), z.strictObject({ token: z.string().max(200) })]);

/** The only places that somebody who is not logged in can reach: the way to log in. */
export const PUBLIC_ROUTES = ['GET /login', 'GET /login.js', 'GET /login.css', 'POST /login'] as const;

/** Whether a request needs no login. */
export function isPublic(method: string, path: string): boolean {
  const asked = `${method === 'HEAD' ? 'GET' : method} ${path}`;
  return PUBLIC_ROUTES.some((route) => route === asked);
}

/** Logging in and out. */
export function addLoginRoutes(app: Hono<HttpEnv>, access: Access): void {
  app.get('/login', () => text(LOGIN_PAGE, 'text/html'));
  app.get('/login.js', () => text(LOGIN_SCRIPT, 'text/javascript'));
  app.get('/login.css', () => text(LOGIN_STYLE, 'text/css'));
  app.post('/login', async (c) => {
    const shown = Shown.safeParse(await readJson(c.env.incoming));
    if (!shown.success) throw new AppError('REQUEST_INVALID', 'Send { "code" } or { "token" }');
    const { role, cookie } = await access.logIn(shown.data);
    return c.json({ role }, 200, { 'set-cookie': cookie });
  });
  app.post('/logout', async (c) => c.json({}, 200, { 'set-cookie': await access.logOut(c.env.incoming) }));
}

/** Answers somebody who is not logged in with the page that says how to get in. */
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
