import { z } from 'zod';
import { AppError } from '../../errors.ts';
import type {
  OperationInput,
  OperationName,
  OperationOutput,
  StreamInput,
  StreamItem,
  StreamName,
} from '../../operations/all.ts';
import { itemsOf } from '../../operations/dispatch.ts';
import { LOAD_OPERATION, LOAD_STREAM } from '../../operations/load.ts';
import type { Call } from '../../operations/operation.ts';
import { ROUTES } from '../../operations/routes.generated.ts';
import { StartOptions } from '../../schema/request.ts';
import { realWorld, type World } from '../../world.ts';
import type { Caller, CallerOptions, EngineLocation } from '../caller.ts';
import { withSafeTexts } from './answer-text.ts';
import { findServerProject } from './client-project.ts';
import { type Exchange, fetchResult, pushBase } from './exchange-commits.ts';
import { followStream } from './follow-stream.ts';
import { prepareStart } from './prepare-start.ts';
import { pathFields, requestOf, requireRoute } from './route-request.ts';
import { ServerConnection } from './server-connection.ts';
import { readLogin, type ServerLogin } from './server-login.ts';

type Input = Readonly<Record<string, unknown>>;
type PreparedStart = { input: Input; notes: string[] };

/** What a server says about itself and the caller. */
const ServerSession = z.object({ role: z.string(), version: z.string() });
export type ServerSession = z.infer<typeof ServerSession>;

/** Opens a caller for the operations of the server that the user logged in to. */
export async function openServerCaller(options: CallerOptions): Promise<Caller> {
  return new ServerCaller(await readLogin(options.env), options);
}

/** Asks a server who it is; refuses one whose release is too far from this program's. */
export async function greetServer(
  connection: ServerConnection,
  version: string | undefined,
  signal: AbortSignal = new AbortController().signal,
): Promise<ServerSession> {
  const answer = withSafeTexts(await connection.json({ method: 'GET', path: '/api/session' }, signal));
  const session = ServerSession.safeParse(answer);
  const { url } = connection;
  if (!session.success)
    throw new AppError('SERVER_UNKNOWN', `${url} is not a Manyhands server: its response has no version`, { url });
  if (version !== undefined && !isNearRelease(session.data.version, version))
    throw new AppError('SERVER_VERSION', `${url} has version ${session.data.version}, this program ${version}`, {
      url,
      server: session.data.version,
      program: version,
    });
  return session.data;
}

/** Calls operations on a server: folders of this machine are replaced by the projects that they are clones of. */
class ServerCaller implements Caller {
  readonly #connection: ServerConnection;
  readonly #options: CallerOptions;
  readonly #world: World;
  readonly #login: ServerLogin;
  readonly #projects = new Map<string, ReturnType<typeof findServerProject>>();
  #greeted: Promise<ServerSession> | undefined;

  constructor(login: ServerLogin, options: CallerOptions) {
    this.#login = login;
    this.#connection = new ServerConnection(login);
    this.#options = options;
    this.#world = options.world ?? realWorld;
  }

  /** No operation of a client ends an engine of this process. */
  readonly ending = new AbortController().signal;

  get server(): string {
    return this.#connection.url;
  }

  engine(): EngineLocation {
    return 'server';
  }

  async call<N extends OperationName>(
    name: N,
    input: OperationInput<N>,
    { signal = new AbortController().signal }: Partial<Call> = {},
  ): Promise<OperationOutput<N>> {
    const operation = await LOAD_OPERATION[name]();
    const route = requireRoute(name, ROUTES[name], this.server);
    await this.#greet();
    const started = name === 'start-run' ? await this.#prepareStart(input, signal) : undefined;
    const there = started?.input ?? (await this.#inputFor(route, input, signal));
    const perform = async (given: Input) => {
      const answer = withSafeTexts(await this.#connection.json(requestOf(route, given), signal));
      const parsed = operation.output.safeParse(answer);
      // What was checked against the operation's schema has the type of its output.
      if (parsed.success) return withNotes(parsed.data, started?.notes) as OperationOutput<N>;
      throw this.#unexpected(name, parsed.error);
    };
    if (operation.decides !== true) return perform(there);
    return perform(there).catch(async (error: unknown) => {
      const needsCode = error instanceof AppError && error.code === 'CONFIRM_REQUIRED';
      const code = needsCode ? await this.#options.askCode?.(error.message) : undefined;
      if (code === undefined) throw error;
      return perform({ ...there, confirm: code });
    });
  }

  stream<N extends StreamName>(
    name: N,
    input: StreamInput<N>,
    call: Partial<Call> = {},
  ): AsyncGenerator<StreamItem<N>> {
    return itemsOf(this.batches(name, input, call));
  }

  async *batches<N extends StreamName>(
    name: N,
    input: StreamInput<N>,
    { signal = new AbortController().signal }: Partial<Call> = {},
  ): AsyncGenerator<readonly StreamItem<N>[]> {
    const { output, cursor } = await LOAD_STREAM[name]();
    const route = requireRoute(name, ROUTES[name], this.server);
    await this.#greet();
    const { path } = requestOf(route, await this.#inputFor(route, input, signal));
    // A terminal is what its control characters make of it.
    const clean = name === 'watch-terminal' ? (item: unknown) => item : withSafeTexts;
    const request = { path, cursor: isOrdered(name) ? cursor : undefined };
    const world = this.#world;
    for await (const batch of followStream(this.#connection, request, { world, signal, ...this.#options })) {
      const items = batch.map((item) => output.safeParse(clean(item)));
      const wrong = items.find((item) => !item.success);
      if (wrong?.error !== undefined) throw this.#unexpected(name, wrong.error);
      // As for a call: what was checked has the type of the stream's items.
      yield items.map((item) => item.data) as StreamItem<N>[];
    }
  }

  async receive(run: string, dir: string): Promise<{ branch: string; commit: string }> {
    const { repository } = await this.#find(dir);
    const offered = await this.call('offer-result', { run });
    if (offered.branch !== `mh/${run}`)
      throw new AppError('SERVER_UNKNOWN', `${this.server} offers ${offered.branch} as the branch of ${run}`);
    await fetchResult(this.#exchange(repository.root, new AbortController().signal), offered);
    return offered;
  }

  async drain(): Promise<void> {}
  async stop(): Promise<void> {}
  async leave(): Promise<void> {}
  async [Symbol.asyncDispose](): Promise<void> {}

  /** Once for all calls; what failed is tried again by the next call. */
  #greet(): Promise<ServerSession> {
    this.#greeted ??= greetServer(this.#connection, this.#options.version).catch((error: unknown) => {
      this.#greeted = undefined;
      throw error;
    });
    return this.#greeted;
  }

  /** The input as the server needs it: a run by its id, otherwise the project's latest; a folder by its project. */
  async #inputFor(route: string, input: Input, signal: AbortSignal): Promise<Input> {
    const needsRun = pathFields(route).includes('run');
    const { dir, ...others } = input;
    if (typeof dir !== 'string') return input;
    if (others.run !== undefined && needsRun) return others;
    const root = await this.#rootOf(dir);
    if (!needsRun) return { ...input, dir: root };
    const [latest] = await this.call('list-runs', { dir, limit: 1 }, { signal });
    if (latest === undefined) throw new AppError('RUN_NONE', `There is no run of this project on ${this.server} yet`);
    return { ...others, run: latest.run };
  }

  /** The request for a run as the server performs it: the commit that it starts from is pushed there first. */
  async #prepareStart(input: Input, signal: AbortSignal): Promise<PreparedStart> {
    const options = StartOptions.parse(input.options);
    const { project, repository } = await this.#find(options.dir);
    const prepared = await prepareStart(options, { project, root: repository.root });
    await pushBase(this.#exchange(repository.root, signal), prepared.commit);
    return { input: { ...input, options: prepared.options }, notes: prepared.notes };
  }

  #exchange(root: string, signal: AbortSignal): Exchange {
    return { root, login: this.#login, env: this.#options.env, signal };
  }

  /** The folder on the server of the project that a folder on this machine is a clone of. */
  async #rootOf(dir: string): Promise<string> {
    return (await this.#find(dir)).project.root;
  }

  #find(dir: string): ReturnType<typeof findServerProject> {
    const list = () => this.call('list-projects', {});
    const found = this.#projects.get(dir) ?? findServerProject(dir, { url: this.server, list });
    this.#projects.set(dir, found);
    found.catch(() => this.#projects.delete(dir));
    return found;
  }

  #unexpected(name: string, { issues }: z.ZodError): AppError {
    const [issue] = issues;
    const what = `${issue?.path.map(String).join('.')}: ${issue?.message}`;
    return new AppError('SERVER_UNKNOWN', `Unexpected response of ${this.server} to ${name}: ${what}`, {
      url: this.server,
    });
  }
}

/** The output of a start with what this machine knows about it. */
function withNotes(output: unknown, notes: readonly string[] = []): unknown {
  if (notes.length === 0 || typeof output !== 'object' || output === null) return output;
  const known = 'notes' in output && Array.isArray(output.notes) ? output.notes : [];
  return { ...output, notes: [...notes, ...known] };
}

/** Streams whose items have rising numbers: an item that was received already is not passed on again. */
function isOrdered(name: StreamName): boolean {
  return name === 'watch-run' || name === 'read-logs' || name === 'watch-batch' || name === 'follow-watch';
}

/** Whether two versions of the program work together: the same major version, and at most one minor version apart. */
function isNearRelease(one: string, other: string): boolean {
  const [a, b] = [releaseOf(one), releaseOf(other)];
  if (a === undefined || b === undefined) return false;
  return a.major === b.major && Math.abs(a.minor - b.minor) <= 1;
}

function releaseOf(version: string): { major: number; minor: number } | undefined {
  const match = /^(\d{1,6})\.(\d{1,6})\.\d/.exec(version);
  return match === null ? undefined : { major: Number(match[1]), minor: Number(match[2]) };
}
