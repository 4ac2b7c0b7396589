import { join } from 'node:path';
import { type GivenValues, withValues } from '../../core/run/recorded-config.ts';
import { lastAttempt, type TaskState } from '../../core/run/state.ts';
import { AppError } from '../../errors.ts';
import { fetchCommits, openBareMirror } from '../../git/push/transfer.ts';
import type { Repository } from '../../git/read/repository.ts';
import { attemptId } from '../../schema/ids.ts';
import type { Store } from '../../store/store.ts';
import { type ActiveRun, type EngineContext, emptyPools } from '../loop/context.ts';
import { runLedger } from '../loop/ledger.ts';
import { redactorOf, rolesOf } from '../start/open-run.ts';
import type { AttemptOrder } from './attempt-order.ts';

/** What a host shares between its orders. */
export type HostContext = Omit<EngineContext, 'store' | 'submit' | 'stopping' | 'leaving'>;

/** A run as far as an order needs it: with its state, a mirror and the settings. */
export type HostRun = { ctx: EngineContext; run: ActiveRun };

/** An attempt as it is performed. */
export type OrderedRun = HostRun & { task: TaskState; id: string };

/** What of an order its run is made from. */
type RunOfOrder = Pick<AttemptOrder, 'state' | 'git' | 'roles' | 'head'>;

type OpenOptions = {
  memory: Store;
  report: (body: unknown) => Promise<void>;
  stopping: AbortSignal;
  /** Values of variables that the leader sent. */
  secrets: GivenValues;
};

/** How often commits are fetched that their repository does not have yet. */
const FETCH_TRIES = 5;
const FETCH_AGAIN_MS = 2_000;

/** Prepares the order of an attempt; what the stage of attempts stores goes to `report`. */
export async function openOrder(host: HostContext, order: AttemptOrder, options: OpenOptions): Promise<OrderedRun> {
  const task = order.state.tasks[order.task];
  const attempt = task === undefined ? undefined : lastAttempt(task);
  if (task === undefined || attempt === undefined) throw new AppError('INPUT_INVALID', 'The order has no attempt');
  moveToClock(host.world.now(), order.state, attempt);
  const opened = await openHostRun(host, order, options);
  return { ...opened, task, id: attemptId(opened.run.id, task.ordinal, attempt.number) };
}

/** Limits of time count by the clock of this host, which may differ from that of the leader: the attempt begins now. */
function moveToClock(now: number, { start }: AttemptOrder['state'], attempt: { startedAt: number }): void {
  const differenceMs = now - attempt.startedAt;
  attempt.startedAt = now;
  if (start.deadline !== undefined) start.deadline += differenceMs;
}

/** Prepares the run of an order; what its stages store goes to `report`. */
export async function openHostRun(
  host: HostContext,
  order: RunOfOrder,
  { memory, report, stopping, secrets }: OpenOptions,
): Promise<HostRun> {
  const { state } = order;
  const store = reportingStore(memory, order, report);
  // Secrets are never in an order: variables have the values of this host's own settings, or those that the leader sent.
  const config = withValues(state.start.config, await host.implementations.config(host.home.root), secrets);
  const ledger = runLedger(store, host.world, state);
  const run: ActiveRun = {
    id: state.start.run,
    ledger,
    project: { id: state.start.project.id, ...(await openProject(host, order, stopping)) },
    recipe: host.implementations.recipe(state.start.recipe.name, state.start.recipe.version),
    config,
    agents: host.implementations.agents({ config, project: state.start.project }),
    redact: redactorOf(host, config),
    roles: rolesOf(order.roles),
    roleTexts: order.roles,
    cancel: new AbortController(),
    force: new AbortController(),
    interrupts: new Map(),
    checks: [],
    endCommit: undefined,
    toMeasure: undefined,
    nativeFiles: undefined,
    projectHosts: undefined,
    ...emptyPools(host.home.removing, state.start.config),
    baselines: new Map(),
    writtenBack: { version: 0, content: undefined },
    warnedEdits: new Map(),
    cancelErrors: 0,
  };
  const ctx: EngineContext = {
    ...host,
    store,
    stopping,
    leaving: new AbortController().signal,
    submit: (_run, decide) => ledger.submit(decide),
  };
  return { ctx, run };
}

/** A store whose events and transcripts are reports; a host keeps nothing that cannot be lost. */
function reportingStore(memory: Store, order: RunOfOrder, report: (body: unknown) => Promise<void>): Store {
  return {
    ...memory,
    append: async (writes) => {
      const events = writes.flatMap((write) => write.events);
      if (events.length > 0) await report({ kind: 'events', events });
      return [];
    },
    ingest: ({ rows, cursors, usage }) => report({ kind: 'transcript', rows, cursors, usage }),
    head: () => order.head,
  };
}

/** The mirror of the project on this host, with the commits of the order. */
async function openProject(
  host: HostContext,
  { state, git }: RunOfOrder,
  signal: AbortSignal,
): Promise<Pick<ActiveRun['project'], 'mirror' | 'repository'>> {
  const { id, root } = state.start.project;
  const mirror = await openBareMirror(join(host.home.mirrors, `${id}.git`), git.objectFormat, host.world);
  for (let tries = 1; ; tries += 1) {
    const fetched = await fetchCommits({ mirror, url: git.url, token: git.token, signal }, git.commits);
    if (fetched.kind === 'done') break;
    if (tries >= FETCH_TRIES)
      throw new AppError('GIT_FAILED', `The commits of the order cannot be fetched: ${fetched.detail}`);
    await host.world.sleep(FETCH_AGAIN_MS, signal);
  }
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
