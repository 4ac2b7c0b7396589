import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono';
import type { Caller } from '../access/caller.ts';
import { reportError } from '../access/error-report.ts';
import { AppError } from '../errors.ts';
import { OPERATIONS, type OperationInput, type OperationName, STREAMS } from '../operations/all.ts';
import { mayCall } from '../operations/authorize.ts';
import type { Origin } from '../schema/actor.ts';
import type { World } from '../world.ts';
import { DOCS_STYLE, docsPage } from './api/docs-page.ts';
import { readJson } from './api/json-body.ts';
import { addMcpRoute } from './api/mcp-route.ts';
import { openApi } from './api/openapi.ts';
import { inputOfBody, inputOfQuery } from './api/operation-input.ts';
import { type OperationRoute, operationRoutes } from './api/operation-routes.ts';
import { problemResponse } from './api/problem.ts';
import type { Assets } from './assets.ts';
import type { HttpEnv } from './bindings.ts';
import { contentPolicy } from './headers.ts';
import type { Access, Identity } from './login/access.ts';
import { addLoginRoutes } from './login/login-routes.ts';
import { unknownRouteText } from './other-routes.ts';
import { addPageRoutes } from './page-routes.ts';
import { sendEventStream } from './streams/event-stream.ts';
import { Feeds } from './streams/feeds.ts';
import { followedStream } from './streams/follow-stream.ts';
import { joinStreams, type OpenStream, requestedStreams } from './streams/joint-stream.ts';

type ApiPageOptions = {
  caller: Caller;
  version: string;
  identityOf(incoming: HttpBindings['incoming']): Identity | undefined;
};

/** What the API has besides operations: its description, a page to read, the identity of the caller, and several streams as one. */
export const API_PAGES = [
  'GET /api/openapi.json',
  'GET /api/docs',
  'GET /api/docs.css',
  'GET /api/session',
  'GET /api/streams',
] as const;

const pack = promisify(gzip);

/** Compressing smaller answers costs more than it saves. */
const PACK_FROM_CHARACTERS = 16 * 1024;

/** Compresses nearly as well as higher levels in a fraction of the time. */
const LEVEL = constants.Z_BEST_SPEED;

export type RouterOptions = {
  caller: Caller;
  access: Access;
  assets: Assets;
  world: World;
  version: string;
  /** The sender of a request that was admitted. */
  identityOf(incoming: HttpBindings['incoming']): Identity | undefined;
  /** The origin of a request that a program of an attempt sent; undefined for any other sender. */
  agentOf?(incoming: HttpBindings['incoming']): Origin | undefined;
  /** Aborts when the server closes. */
  closing: AbortSignal;
};

/** Every route: operations, login, the description of the API, and the dashboard. */
export function createRouter(options: RouterOptions): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  const feeds = new Feeds();
  addLoginRoutes(app, options.access);
  addApiPages(app, options);
  const routes = operationRoutes();
  for (const route of routes) addOperation(app, route, { ...options, feeds });
  addJointStreams(app, routes, { ...options, feeds });
  for (const path of new Set(routes.map((route) => route.path))) refuseOtherMethods(app, path, routes);
  app.all('/api/*', (c) => {
    throw new AppError('ROUTE_UNKNOWN', unknownRouteText(c.req.method, c.req.path));
  });
  addMcpRoute(app, { ...options, requireKnownFolder });
  addPageRoutes(app, options);
  app.notFound((c) => problemResponse(new AppError('ROUTE_UNKNOWN', `There is no ${c.req.method} ${c.req.path}`)));
  app.onError((error, c) => {
    const { version, world } = options;
    void reportError(error, { env: process.env, version, world, action: `${c.req.method} ${c.req.path}` });
    return problemResponse(error);
  });
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
      if (query.size > 0) throw new AppError('REQUEST_INVALID', 'Send the input in the body, not in the query');
      const input = inputOfBody(route, c.req.param(), await readJson(incoming));
      requireAllowed(identity, route, input);
      const sender = options.agentOf?.(incoming) ?? origin;
      return jsonAnswer(await callOperation(caller, route, { input, origin: sender }), accepted);
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

/** Streams that have an end of their own; clients open the others again when the engine ends. */
const COMPLETED: readonly string[] = ['read-logs', 'watch-terminal'];

type Following = RouterOptions & {
  route: OperationRoute & { kind: 'stream' };
  input: Record<string, unknown>;
  origin: Origin;
  feeds: Feeds;
};

async function follow(bindings: HttpBindings, { input, ...what }: Following): Promise<Response> {
  const last = bindings.incoming.headers['last-event-id'];
  const after = typeof last === 'string' && /^\d{1,15}$/.test(last) ? { after: Number(last) } : {};
  const isAllowed = (identity: Identity) => mayUse(identity, what.route, input);
  return sendItems(bindings, () => openItems({ ...what, input: { ...input, ...after } }), { ...what, isAllowed });
}

/** Streams of one browser in one connection, of which a browser has only six to a server. */
function addJointStreams(
  app: Hono<HttpEnv>,
  routes: readonly OperationRoute[],
  options: RouterOptions & { feeds: Feeds },
): void {
  app.get('/api/streams', async (c) => {
    const identity = requireIdentity(options.identityOf(c.env.incoming));
    const query = new URL(c.req.url).searchParams;
    const requested = requestedStreams(query.getAll('stream'), routes).map(({ route, params, query: rest }) => {
      const input = inputOfQuery(route, params, rest);
      requireAllowed(identity, route, input);
      return { route, input };
    });
    const origin = originOf(identity);
    if (identity.role !== 'operator')
      for (const { input } of requested) await requireKnownFolder(options.caller, input.dir);
    const open = () => joinStreams(requested.map((each) => openItems({ ...options, ...each, origin })));
    const isAllowed = (now: Identity) => requested.every(({ route, input }) => mayUse(now, route, input));
    return sendItems(c.env, open, { ...options, isAllowed });
  });
}

function openItems({ route, input, origin, caller, feeds }: Following): OpenStream {
  return {
    items: feeds.follow(followedStream(caller, { name: route.name, input, origin })),
    isComplete: () => COMPLETED.includes(route.name) && !caller.ending.aborted,
  };
}

async function sendItems(
  { incoming, outgoing }: HttpBindings,
  open: () => OpenStream,
  { access, world, closing, ...options }: RouterOptions & { isAllowed(identity: Identity): boolean },
): Promise<Response> {
  if (incoming.method === 'HEAD') return new Response(null, { headers: { 'content-type': 'text/event-stream' } });
  const isAllowed = async () => {
    const identity = await access.identify(incoming);
    return identity !== undefined && options.isAllowed(identity);
  };
  await sendEventStream({ outgoing, ...open(), world, closing, isAllowed });
  return RESPONSE_ALREADY_SENT;
}

/** A changing operation gets no signal: it is not aborted when the client disconnects. */
async function callOperation(
  caller: Caller,
  { name, kind }: OperationRoute,
  { input, ...call }: { input: Record<string, unknown>; origin: Origin; signal?: AbortSignal },
): Promise<unknown> {
  if (kind === 'stream') throw new AppError('INTERNAL', `${name} is a stream`);
  // The operation checks its input where it is run, the same for every entry point.
  return caller.call(name, input as OperationInput<OperationName>, call);
}

function requireIdentity(identity: Identity | undefined): Identity {
  if (identity !== undefined) return identity;
  throw new AppError('LOGIN_NEEDED', 'Log in first');
}

function requireAllowed(identity: Identity, route: OperationRoute, input: unknown): void {
  if (mayUse(identity, route, input)) return;
  throw new AppError('VIEWERS_ONLY_LOOK', `A ${identity.role} may not use ${route.method} ${route.path}`);
}

function mayUse(identity: Identity, { kind, name }: OperationRoute, input: unknown): boolean {
  return mayCall(identity, kind === 'operation' ? OPERATIONS[name] : STREAMS[name], input);
}

/** A person by the role of their token or session. */
function originOf({ role }: Identity): Origin {
  return { actor: { kind: 'person', name: role }, via: 'http' };
}

function refuseOtherMethods(app: Hono<HttpEnv>, path: string, routes: readonly OperationRoute[]): void {
  const methods = routes.filter((route) => route.path === path).map(({ method }) => method);
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].join(', ');
  app.all(pattern(path), (c) =>
    problemResponse(new AppError('METHOD_UNKNOWN', `${path} accepts ${allow}, not ${c.req.method}`), { allow }),
  );
}

/** The path in the syntax of the router. */
function pattern(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

/** Viewers may read only projects that have runs: reading another folder could start programs that its settings name. */
async function requireKnownFolder(caller: Caller, dir: unknown): Promise<void> {
  if (typeof dir !== 'string') return;
  const projects = await caller.call('list-projects', {});
  if (projects.some(({ root }) => root === resolve(dir))) return;
  throw new AppError('VIEWERS_ONLY_LOOK', `${dir} is not a project with runs; a viewer may read no other folder`, {
    dir,
  });
}

/** A JSON answer; a long one is compressed outside the main thread if the client accepts it. */
async function jsonAnswer(value: unknown, accepted: string): Promise<Response> {
  const text = JSON.stringify(value ?? {});
  const headers = { 'content-type': 'application/json; charset=utf-8', vary: 'accept-encoding' };
  if (text.length < PACK_FROM_CHARACTERS || !/\bgzip\b/.test(accepted)) return new Response(text, { headers });
  const bytes = new Uint8Array(await pack(text, { level: LEVEL }));
  return new Response(bytes, { headers: { ...headers, 'content-encoding': 'gzip' } });
}

/** Adds the pages of the API; each is built at its first request. */
function addApiPages(app: Hono<HttpEnv>, options: ApiPageOptions): void {
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
