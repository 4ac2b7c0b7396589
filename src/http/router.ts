import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono';
import type { Caller } from '../access/caller.ts';
import { AppError } from '../errors.ts';
import { OPERATIONS, type OperationInput, type OperationName, STREAMS } from '../operations/all.ts';
import { mayCall } from '../operations/authorize.ts';
import type { Origin } from '../schema/actor.ts';
import type { World } from '../world.ts';
import { DOCS_STYLE, docsPage } from './api/docs-page.ts';
import { readJson } from './api/json-body.ts';
import { openApi } from './api/openapi.ts';
import { inputOfBody, inputOfQuery } from './api/operation-input.ts';
import { type OperationRoute, operationRoutes } from './api/operation-routes.ts';
import { problemResponse } from './api/problem.ts';
import type { Asset, Assets } from './assets.ts';
import type { HttpEnv } from './bindings.ts';
import { contentPolicy } from './headers.ts';
import type { Access, Identity } from './login/access.ts';
import { addLoginRoutes } from './login/login-routes.ts';
import { sendEventStream } from './streams/event-stream.ts';
import { Feeds } from './streams/feeds.ts';
import { followedStream } from './streams/follow-stream.ts';

const NO_PAGE = 'The dashboard is not built into this copy of Manyhands. The API is here: see /api/docs.\n';

const YEAR_S = 31_536_000;

type PageOptions = {
  assets: Assets;
  world: World;
  identityOf(incoming: HttpBindings['incoming']): Identity | undefined;
};

type Options = {
  caller: Caller;
  version: string;
  identityOf(incoming: HttpBindings['incoming']): Identity | undefined;
};

/** Pages about the API itself: its description, a page to read, and the identity of the caller. */
export const API_PAGES = ['GET /api/openapi.json', 'GET /api/docs', 'GET /api/docs.css', 'GET /api/session'] as const;

const pack = promisify(gzip);

/** Smaller answers are not worth the time. */
const PACK_FROM_CHARACTERS = 16 * 1024;

/** Most of what can be gained, in a fraction of the time: who asks is rarely far away. */
const LEVEL = constants.Z_BEST_SPEED;

export type RouterOptions = {
  caller: Caller;
  access: Access;
  assets: Assets;
  world: World;
  version: string;
  /** Who asks; whoever got here was let in. */
  identityOf(incoming: HttpBindings['incoming']): Identity | undefined;
  /** Aborts when the server closes. */
  closing: AbortSignal;
};

/** Every route: the operations, the way in, what the API is, and the dashboard. */
export function createRouter(options: RouterOptions): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  const feeds = new Feeds();
  addLoginRoutes(app, options.access);
  addApiPages(app, options);
  const routes = operationRoutes();
  for (const route of routes) addOperation(app, route, { ...options, feeds });
  for (const path of new Set(routes.map((route) => route.path))) refuseOtherMethods(app, path, routes);
  app.all('/api/*', (c) => {
    throw new AppError('ROUTE_UNKNOWN', `There is no ${c.req.method} ${c.req.path}`);
  });
  addPageRoutes(app, options);
  app.notFound((c) => problemResponse(new AppError('ROUTE_UNKNOWN', `There is no ${c.req.method} ${c.req.path}`)));
  app.onError((error) => problemResponse(error));
  return app;
}

function addOperation(app: Hono<HttpEnv>, route: OperationRoute, options: RouterOptions & { feeds: Feeds }): void {
  const { caller } = options;
  app.on(route.method, pattern(route.path), async (c) => {
    const { incoming, outgoing } = c.env;
    const query = new URL(c.req.url).searchParams;
    const accepted = c.req.header('accept-encoding') ?? '';
    const identity = requireIdentity(options.identityOf(incoming));
    const origin = originOf(identity);
    if (route.method !== 'GET') {
      if (query.size > 0) throw new AppError('REQUEST_INVALID', 'What acts is told in the body, not in the query');
      const input = inputOfBody(route, c.req.param(), await readJson(incoming));
      requireAllowed(identity, route, input);
      return jsonAnswer(await callOperation(caller, route, { input, origin }), accepted);
    }
    const input = inputOfQuery(route, c.req.param(), query);
    requireAllowed(identity, route, input);
    if (identity.role !== 'operator') await requireKnownFolder(caller, input.dir);
    if (route.kind === 'stream') return follow(c.env, { route, input, origin, ...options });
    const gone = new AbortController();
    outgoing.once('close', () => gone.abort());
    return jsonAnswer(await callOperation(caller, route, { input, origin, signal: gone.signal }), accepted);
  });
}

/** Streams of something that ends; the others end only with the engine, and are to be opened again. */
const COMPLETED: readonly string[] = ['read-logs', 'watch-terminal'];

type Following = RouterOptions & {
  route: OperationRoute & { kind: 'stream' };
  input: Record<string, unknown>;
  origin: Origin;
  feeds: Feeds;
};

async function follow({ incoming, outgoing }: HttpBindings, what: Following): Promise<Response> {
  const { route, input, origin, caller, access, feeds, world, closing } = what;
  if (incoming.method === 'HEAD') return new Response(null, { headers: { 'content-type': 'text/event-stream' } });
  const last = incoming.headers['last-event-id'];
  const after = typeof last === 'string' && /^\d{1,15}$/.test(last) ? { after: Number(last) } : {};
  const items = feeds.follow(followedStream(caller, { name: route.name, input: { ...input, ...after }, origin }));
  const isComplete = () => COMPLETED.includes(route.name) && !caller.ending.aborted;
  const mayStay = async () => (await access.identify(incoming)) !== undefined;
  await sendEventStream({ outgoing, items, world, closing, isComplete, mayStay });
  return RESPONSE_ALREADY_SENT;
}

/** Without a signal: an operation that acts is not aborted when the client disconnects. */
async function callOperation(
  caller: Caller,
  { name, kind }: OperationRoute,
  { input, ...call }: { input: Record<string, unknown>; origin: Origin; signal?: AbortSignal },
): Promise<unknown> {
  if (kind === 'stream') throw new AppError('INTERNAL', `${name} does not answer once`);
  // The operation checks its input where it is run, the same for every entry point.
  return caller.call(name, input as OperationInput<OperationName>, call);
}

function requireIdentity(identity: Identity | undefined): Identity {
  if (identity !== undefined) return identity;
  throw new AppError('LOGIN_NEEDED', 'Log in first');
}

function requireAllowed(identity: Identity, { kind, name, method, path }: OperationRoute, input: unknown): void {
  if (mayCall(identity, kind === 'operation' ? OPERATIONS[name] : STREAMS[name], input)) return;
  throw new AppError('VIEWERS_ONLY_LOOK', `A ${identity.role} may not ask for ${method} ${path}`);
}

/** A person by the role of their token or session. */
function originOf({ role }: Identity): Origin {
  return { actor: { kind: 'person', name: role }, via: 'http' };
}

function refuseOtherMethods(app: Hono<HttpEnv>, path: string, routes: readonly OperationRoute[]): void {
  const methods = routes.filter((route) => route.path === path).map(({ method }) => method);
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].join(', ');
  app.all(pattern(path), (c) =>
    problemResponse(new AppError('METHOD_UNKNOWN', `${path} takes ${allow}, not ${c.req.method}`), { allow }),
  );
}

/** A path as the router writes it. */
function pattern(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

/** Viewers look at projects that have runs: the settings of any other folder would name programs that a look starts. */
async function requireKnownFolder(caller: Caller, dir: unknown): Promise<void> {
  if (typeof dir !== 'string') return;
  const projects = await caller.call('list-projects', {});
  if (projects.some(({ root }) => root === resolve(dir))) return;
  throw new AppError('VIEWERS_ONLY_LOOK', `${dir} is no project with runs, and a viewer sees no other`, { dir });
}

/** An answer in JSON; a long one is packed, off the main thread, for whoever can unpack it. */
async function jsonAnswer(value: unknown, accepted: string): Promise<Response> {
  const text = JSON.stringify(value ?? {});
  const headers = { 'content-type': 'application/json; charset=utf-8', vary: 'accept-encoding' };
  if (text.length < PACK_FROM_CHARACTERS || !/\bgzip\b/.test(accepted)) return new Response(text, { headers });
  const bytes = new Uint8Array(await pack(text, { level: LEVEL }));
  return new Response(bytes, { headers: { ...headers, 'content-encoding': 'gzip' } });
}

/** Adds those pages; each is built at its first request. */
function addApiPages(app: Hono<HttpEnv>, options: Options): void {
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

/** The files of the dashboard; every other path that no file has is a page of it, which the dashboard itself knows. */
function addPageRoutes(app: Hono<HttpEnv>, { assets, world, identityOf }: PageOptions): void {
  app.get('*', (c) => {
    const asset = assets.get(c.req.path);
    if (asset !== undefined) return fileResponse(asset, c.req.header('accept-encoding') ?? '');
    if (/^\/[^/]+\.\w+$/.test(c.req.path)) return c.notFound();
    const index = assets.index();
    if (index === undefined) return c.text(NO_PAGE, 503);
    const nonce = world.token();
    const role = identityOf(c.env.incoming)?.role ?? 'viewer';
    return c.html(index.replace('{nonce}', nonce).replace('{role}', role), 200, {
      'content-security-policy': contentPolicy(nonce),
    });
  });
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
