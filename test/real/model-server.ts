import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { messageOf } from '../../src/errors.ts';
import { realWorld } from '../../src/world.ts';
import { answer, sendJson } from './model-server/answer.ts';
import { anthropic } from './model-server/anthropic.ts';
import { type Arrivals, recordArrivals, type SeenRequest, shownHeaders } from './model-server/arrivals.ts';
import type { Dialect } from './model-server/dialect.ts';
import { gemini } from './model-server/gemini.ts';
import { responses } from './model-server/responses.ts';
import { performScenario, type Scenario } from './model-server/scenario.ts';
import type { Reply, Script } from './model-server/step.ts';

/** A model on 127.0.0.1 that does what scripts say, over the three APIs that agents speak. */
export interface ModelServer extends AsyncDisposable {
  readonly url: string;
  /** Sets up a script and returns its base address; clients of OpenAI's API add `/v1`. */
  scenario(name: string, script: Script): string;
  /** The requests to a scenario so far. */
  requests(name: string): readonly SeenRequest[];
  /** The tokens of all answers that a scenario has sent completely, also of those that are no part of the work. */
  bill(name: string): Bill;
  /** Resolves when a scenario has received so many requests. */
  waitForRequests(name: string, count: number): Promise<void>;
  /** Proxy variables that route requests to other machines here, where they are refused and recorded. */
  readonly proxyEnv: Record<string, string>;
  /** Requests that no scenario expects, and those to other machines. */
  strays(): readonly string[];
  /** Throws if there were strays; disposing does the same. */
  requireNoStrays(): void;
}

/** Tokens by the fields of `manyhands usage`; cached input is not part of the other. */
type Bill = { inputTokens: number; outputTokens: number; cachedTokens: number };

type Running = { scenario: Scenario; arrivals: Arrivals; bill: Bill };

const DIALECTS: readonly Dialect[] = [anthropic, responses, gemini];
const SCENARIO_PATH = /^\/t\/([\w.-]+)(\/.*)?$/;

/** Starts a server of its own for a test file; many scenarios can run on it at once, told apart by their path. */
export async function startModelServer(): Promise<ModelServer> {
  const running = new Map<string, Running>();
  const strays: string[] = [];
  const server = createServer((request, response) => {
    handle(request, response, { running, strays }).catch((error: unknown) => {
      strays.push(`${request.method} ${request.url}: ${messageOf(error)}`);
      if (!response.headersSent) sendJson(response, { status: 500, headers: {}, body: { error: messageOf(error) } });
    });
  });
  for (const event of ['connect', 'upgrade'] as const) {
    server.on(event, (request: IncomingMessage, socket: Duplex) => {
      strays.push(`${request.method} ${request.url} (${event})`);
      // The client may be gone already.
      socket.on('error', () => {});
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
    });
  }
  const url = `http://127.0.0.1:${await listen(server)}`;
  const find = (name: string) => {
    const found = running.get(name);
    if (found === undefined) throw new Error(`There is no scenario ${name}`);
    return found;
  };
  const requireNoStrays = () => {
    if (strays.length > 0) throw new Error(`Something was asked that no scenario expects:\n${strays.join('\n')}`);
  };
  return {
    url,
    scenario(name, script) {
      // A test that is tried again begins with a scenario of its own.
      const bill = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };
      running.set(name, { scenario: performScenario(name, script), arrivals: recordArrivals(), bill });
      return `${url}/t/${name}`;
    },
    requests: (name) => find(name).arrivals.seen,
    bill: (name) => find(name).bill,
    waitForRequests: (name, count) => find(name).arrivals.until(count),
    proxyEnv: proxyEnv(url),
    strays: () => strays,
    requireNoStrays,
    async [Symbol.asyncDispose]() {
      await closeServer(server);
      requireNoStrays();
    },
  };
}

/** An address of this machine at which nobody listens. */
export async function closedAddress(): Promise<string> {
  const server = createServer();
  const port = await listen(server);
  await closeServer(server);
  return `http://127.0.0.1:${port}`;
}

type Known = { running: ReadonlyMap<string, Running>; strays: string[] };

async function handle(request: IncomingMessage, response: ServerResponse, { running, strays }: Known): Promise<void> {
  const [, name = '', path = '/'] = SCENARIO_PATH.exec(request.url ?? '') ?? [];
  const found = running.get(name);
  const body = await text(request);
  if (found !== undefined && request.method === 'HEAD') return void response.writeHead(200).end();
  const dialect = request.method === 'POST' ? DIALECTS.find((each) => each.route(path) !== undefined) : undefined;
  if (found === undefined || dialect === undefined) {
    strays.push(`${request.method} ${request.url}`);
    return sendJson(response, { status: 404, headers: {}, body: { error: { message: 'Not scripted' } } });
  }
  if (dialect.route(path) === 'count') return sendJson(response, { status: 200, headers: {}, body: dialect.count });
  const parsed: unknown = JSON.parse(body);
  const requests = dialect.read(path, parsed);
  const isAside = requests.tools.length === 0;
  const headers = shownHeaders(request.headers);
  found.arrivals.add({ ...requests, api: dialect.name, path, headers, isAside, body: parsed });
  const turn = isAside ? found.scenario.aside(requests, dialect.aside(parsed)) : await found.scenario.next(requests);
  if (turn.delayMs > 0) await realWorld.sleep(turn.delayMs);
  if (turn.fault === undefined) response.once('finish', () => charge(found.bill, dialect, turn.reply));
  answer(response, dialect, { requests, turn });
}

/** Only Anthropic's input does not include what was read from the cache. */
function charge(bill: Bill, { name }: Dialect, { usage }: Reply): void {
  bill.inputTokens += name === 'anthropic' ? usage.in + usage.cacheWrite : usage.in - usage.cacheRead;
  bill.outputTokens += usage.out;
  bill.cachedTokens += usage.cacheRead;
}

function proxyEnv(url: string): Record<string, string> {
  const own = { no_proxy: '127.0.0.1,localhost,::1', http_proxy: url, https_proxy: url, all_proxy: url };
  return Object.fromEntries(
    Object.entries(own).flatMap(([name, value]) => [
      [name, value],
      [name.toUpperCase(), value],
    ]),
  );
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return address.port;
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
