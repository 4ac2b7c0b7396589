import { join } from 'node:path';
import { type GivenValues, withValues } from '../../core/run/recorded-config.ts';
import { lastAttempt, type TaskState } from '../../core/run/state.ts';
import { AppError } from '../../errors.ts';
import type { Mirror } from '../../git/mirror/mirror.ts';
import { openBareMirror } from '../../git/push/transfer.ts';
import type { Repository } from '../../git/read/repository.ts';
import type { RunStart } from '../../schema/event.ts';
import { attemptId } from '../../schema/ids.ts';
import type { Store } from '../../store/store.ts';
import type { World } from '../../world.ts';
import { type ActiveRun, type EngineContext, emptyPools } from '../loop/context.ts';
import { runLedger } from '../loop/ledger.ts';
import { redactorOf, rolesOf } from '../start/open-run.ts';
import type { AttemptOrder } from './attempt-order.ts';
import { hostProjectFolder } from './host-project.ts';
import type { HostTransfers } from './host-transfers.ts';

/** What a host shares between its orders. */
export type HostContext = Omit<EngineContext, 'store' | 'submit' | 'stopping' | 'leaving'> & {
  /** The environment of the host itself: programs never see it, and what is secret in it is redacted. */
  hostEnv: NodeJS.ProcessEnv;
  transfers: HostTransfers;
};

/** A run as far as an order needs it: with its state, a mirror and the settings. */
export type HostRun = { ctx: EngineContext & Pick<HostContext, 'transfers'>; run: ActiveRun };

/** An attempt as it is performed. */
export type OrderedRun = HostRun & { task: TaskState; id: string };

/** What of an order its run is made from. */
type RunOfOrder = Pick<AttemptOrder, 'state' | 'git' | 'roles' | 'head' | 'projectHosts'>;

type OpenOptions = {
  memory: Store;
  report: (body: unknown) => Promise<void>;
  stopping: AbortSignal;
  /** Aborted when the lease is lost: nothing is reported any more, and work is only saved. */
  lost: AbortSignal;
  /** Values of variables that the leader sent. */
  secrets: GivenValues;
  /** How long a repository that does not answer is waited for. */
  waitMs?: number;
  log(line: string): void;
};

/** How often commits are fetched that their repository refuses to give. */
const REFUSED_TRIES = 5;
/** How long a repository that does not answer is waited for, and how long before it is asked again: longer each time. */
const GIVE_UP_MS = 600_000;
const FETCH_AGAIN_MS = { first: 2_000, most: 30_000 };

/** Prepares the order of an attempt; what the stage of attempts stores goes to `report`. */
export async function openOrder(host: HostContext, order: AttemptOrder, options: OpenOptions): Promise<OrderedRun> {
  const task = order.state.tasks[order.task];
  const attempt = task === undefined ? undefined : lastAttempt(task);
  if (task === undefined || attempt === undefined) throw new AppError('INPUT_INVALID', 'The order has no attempt');
  // Its limits count from now, however long the order waited.
  attempt.startedAt = host.world.now();
  const { ctx, run } = await openHostRun(host, order, options);
  const id = attemptId(run.id, task.ordinal, attempt.number);
  return { ctx: { ...ctx, spentToday: () => spentToday(host, order, run) }, run, task, id };
}

/** What the agent of an order has spent today, as far as this host knows. */
function spentToday({ world }: HostContext, { task, spentToday: before }: AttemptOrder, { ledger }: ActiveRun): number {
  const usage = ledger.state.tasks[task]?.attempts.at(-1)?.usage;
  const own = usage?.kind === 'known' ? usage.costUsd : 0;
  return before === undefined || world.now() >= before.until ? own : before.usd + own;
}

/** Prepares the run of an order; what its stages store goes to `report`. */
export async function openHostRun(
  host: HostContext,
  order: RunOfOrder,
  { memory, report, stopping, lost, secrets, waitMs = GIVE_UP_MS, log }: OpenOptions,
): Promise<HostRun> {
  const { state } = order;
  const store = reportingStore(memory, order, { report, lost });
  const project = await openProject(host, order, { stopping, waitMs, log });
  moveProject(state.start, project.repository.root);
  // Secrets are never in an order: variables have the values of this host's own settings, or those that the leader sent.
  const config = withValues(state.start.config, await host.implementations.config(host.home.root), secrets);
  const ledger = runLedger(store, host.world, state);
  const run: ActiveRun = {
    id: state.start.run,
    ledger,
    project: { id: state.start.project.id, ...project },
    recipe: host.implementations.recipe(state.start.recipe.name, state.start.recipe.version),
    config,
    agents: host.implementations.agents({ config, project: state.start.project }),
    redact: redactorOf({ env: host.hostEnv, home: host.home }, config),
    roles: rolesOf(order.roles),
    roleTexts: order.roles,
    cancel: new AbortController(),
    force: new AbortController(),
    interrupts: new Map(),
    checks: [],
    endCommit: undefined,
    toMeasure: undefined,
    nativeFiles: undefined,
    projectHosts: order.projectHosts && Promise.resolve(order.projectHosts),
    ...emptyPools(host.home.removing, state.start.config),
    baselines: new Map(),
    writtenBack: { version: 0, content: undefined },
    warnedEdits: new Map(),
    cancelErrors: 0,
  };
  const ctx = {
    ...host,
    store,
    stopping,
    leaving: new AbortController().signal,
    submit: (_run, decide) => ledger.submit(decide),
  } satisfies EngineContext;
  return { ctx, run };
}

/** The folders of the server's machine are not here: programs that agents have in the project are in its folder on this host. */
function moveProject(start: RunStart, root: string): void {
  const { id, root: before } = start.project;
  const moved = (path: string) => (path.startsWith(`${before}/`) ? join(root, path.slice(before.length + 1)) : path);
  const agents = Object.entries(start.config.agents).map(([name, agent]) => {
    const { command, args } = agent;
    return [name, { ...agent, ...(command === undefined ? {} : { command: moved(command) }), args: args.map(moved) }];
  });
  start.project = { id, root };
  start.config = { ...start.config, agents: Object.fromEntries(agents) };
}

/** A store whose events and transcripts are reports; a host keeps nothing that cannot be lost. */
function reportingStore(
  memory: Store,
  order: RunOfOrder,
  { report, lost }: Pick<OpenOptions, 'report' | 'lost'>,
): Store {
  // The work of an agent is still saved when nothing more of it can be reported.
  const reportUnlessLost = (body: unknown) =>
    report(body).catch((error: unknown) => {
      if (!lost.aborted) throw error;
    });
  return {
    ...memory,
    append: async (writes) => {
      const events = writes.flatMap((write) => write.events);
      const isStart = events.some(({ type }) => type === 'attempt.spawned');
      if (events.length > 0) await (isStart ? report : reportUnlessLost)({ kind: 'events', events });
      return [];
    },
    ingest: ({ rows, cursors, usage }) => reportUnlessLost({ kind: 'transcript', rows, cursors, usage }),
    head: () => order.head,
  };
}

/** Whether an order failed because the repository of its commits did not answer: it can be performed later. */
export function isRepositoryAway(error: unknown): boolean {
  return error instanceof AppError && error.code === 'GIT_FAILED' && error.details.reason === 'unreachable';
}

type Waiting = Required<Pick<OpenOptions, 'stopping' | 'waitMs' | 'log'>>;

/** The mirror of the project on this host, with the commits of the order. */
async function openProject(
  host: HostContext,
  { state, git }: RunOfOrder,
  waiting: Waiting,
): Promise<Pick<ActiveRun['project'], 'mirror' | 'repository'>> {
  const { start } = state;
  const { id } = start.project;
  const mirror = await openBareMirror(join(host.home.mirrors, `${id}.git`), git.objectFormat, host.world);
  await fetchMissing(host, { mirror, git }, waiting);
  const root = await hostProjectFolder(host, { id, mirror, base: start.base.commit });
  const repository: Repository = {
    root,
    gitDir: mirror.dir,
    commonDir: mirror.dir,
    branch: null,
    head: '',
    objectFormat: mirror.objectFormat,
    shallow: false,
    lfs: false,
    sparse: false,
    submodules: [],
  };
  return { mirror, repository };
}

/** Fetches the commits of an order that were not fetched for an earlier one, and waits for a repository that does not answer. */
async function fetchMissing(
  { world, transfers }: HostContext,
  { mirror, git }: { mirror: Mirror; git: AttemptOrder['git'] },
  { stopping: signal, waitMs, log }: Waiting,
): Promise<void> {
  const giveUpAt = world.now() + waitMs;
  let pauseMs = FETCH_AGAIN_MS.first;
  for (let tries = 1; ; tries += 1) {
    const fetched = await transfers.fetch({ mirror, url: git.url, token: git.token, signal }, git.commits);
    if (fetched.kind === 'done') return;
    const { reason, detail } = fetched;
    if (reason === 'unreachable' ? world.now() >= giveUpAt : tries >= REFUSED_TRIES)
      throw new AppError('GIT_FAILED', `The commits of the order cannot be fetched: ${detail}`, { reason });
    if (tries === 1) log(`waits for the repository of the hosts (hosts.git): ${detail}`);
    await world.sleep(pauseMs * spread(world), signal);
    pauseMs = Math.min(pauseMs * 1.5, FETCH_AGAIN_MS.most);
  }
}

/** Between a half and one, so that orders which began together do not ask again together. */
function spread(world: World): number {
  return 0.5 + Number.parseInt(world.token().slice(0, 4), 16) / 0x20000;
}
