import type { HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Caller } from '../../access/caller.ts';
import type { HttpEnv } from '../bindings.ts';
import { contentPolicy } from '../headers.ts';
import type { Identity } from '../login/access.ts';
import { DOCS_STYLE, docsPage } from './docs-page.ts';
import { openApi } from './openapi.ts';

type Options = {
  caller: Caller;
  version: string;
  identityOf(incoming: HttpBindings['incoming']): Identity | undefined;
};

/** What is told about the API itself: its description, a page to read, and who is asking. */
export const API_PAGES = ['GET /api/openapi.json', 'GET /api/docs', 'GET /api/docs.css', 'GET /api/session'] as const;

/** Adds those pages; each is made when it is first asked for. */
export function addApiPages(app: Hono<HttpEnv>, options: Options): void {
  const { caller, version } = options;
  let described: Record<string, unknown> | undefined;
  const describe = () => {
    described ??= openApi(version);
    return described;
  };
  app.get('/api/openapi.json', () => text(JSON.stringify(describe()), 'application/json'));
  app.get('/api/docs', () => text(docsPage(version), 'text/html'));
  app.get('/api/docs.css', () => text(DOCS_STYLE, 'text/css'));
  app.get('/api/session', (c) =>
    text(
      JSON.stringify({ ...options.identityOf(c.env.incoming), version, engine: caller.engine() }),
      'application/json',
    ),
  );
}

function text(body: string, type: string): Response {
  return new Response(body, {
    headers: { 'content-type': `${type}; charset=utf-8`, 'content-security-policy': contentPolicy() },
  });
}
