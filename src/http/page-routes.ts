import { createHash } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import type { World } from '../world.ts';
import type { Asset, Assets } from './assets.ts';
import type { HttpEnv } from './bindings.ts';
import { contentPolicy } from './headers.ts';
import type { Identity } from './login/access.ts';

const NO_PAGE = 'The dashboard is not built into this copy of Manyhands. The API is here: see /api/docs.\n';

const YEAR_S = 31_536_000;

type PageOptions = {
  assets: Assets;
  world: World;
  identityOf(incoming: HttpBindings['incoming']): Identity | undefined;
};

/** The files of the dashboard; every other path is a page of it, which it resolves itself. */
export function addPageRoutes(app: Hono<HttpEnv>, { assets, world, identityOf }: PageOptions): void {
  app.get('*', (c) => {
    const asset = assets.get(c.req.path);
    if (asset !== undefined) return fileResponse(asset, c.req.header('accept-encoding') ?? '');
    if (/^\/[^/]+\.\w+$/.test(c.req.path)) return c.notFound();
    const index = assets.index();
    if (index === undefined) return c.text(NO_PAGE, 503);
    const nonce = world.token();
    const { role = 'viewer', bound } = identityOf(c.env.incoming) ?? {};
    const runs = bound?.to === 'runs' ? bound.runs.join(' ') : '';
    return c.html(index.replace('{nonce}', nonce).replace('{role}', role).replace('{runs}', runs), 200, {
      'content-security-policy': contentPolicy({ nonce, scripts: scriptHashes(index) }),
    });
  });
}

/** The hashes of the scripts that are in a page itself, as a policy names them. */
function scriptHashes(page: string): string[] {
  const scripts = [...page.matchAll(/<script>([\s\S]*?)<\/script>/g)];
  return scripts.map(([, text = '']) => createHash('sha256').update(text).digest('base64'));
}

function fileResponse(asset: Asset, accepted: string): Response {
  const isPacked = asset.packed !== undefined && /\bgzip\b/.test(accepted);
  return new Response(new Uint8Array(isPacked && asset.packed !== undefined ? asset.packed : asset.bytes), {
    headers: {
      'content-type': asset.type,
      'content-security-policy': contentPolicy(),
      'cache-control': asset.isHashed ? `private, max-age=${YEAR_S}, immutable` : 'no-cache',
      vary: 'accept-encoding',
      ...(isPacked ? { 'content-encoding': 'gzip' } : {}),
    },
  });
}
