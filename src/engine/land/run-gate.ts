import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GateResult } from '../../gates/gate.ts';
import { type CommandGateSpec, shellText } from '../../gates/gate-kinds.ts';
import type { TaskKey } from '../../schema/ids.ts';
import { type CheckoutOptions, gateCheckout } from '../../workspaces/checkout.ts';
import { childEnvironment } from '../../workspaces/environment.ts';
import { crashpoint } from '../../world.ts';
import { containCommands } from '../attempt/containment.ts';
import { type ActiveRun, type EngineContext, lfsOf } from '../loop/context.ts';
import { keepOutput, observePreparation } from './evidence.ts';

/** A commit to be checked, with the tasks that it contains. */
export type Candidate = {
  commit: string;
  tree: string;
  tasks: TaskKey[];
  /** The commit of the base with which the branch of the run is merged, where that is landed. */
  onto?: string;
  /** A person approved that this tree lands in spite of its findings. */
  isApproved?: boolean;
};

/** Files that a checkout has as they are in another commit; `subject` names for people what is checked then. */
export type Overlay = { commit: string; paths: readonly string[]; subject: string };

/** Folders below HOME in which toolchains are installed or keep what they have downloaded. */
const TOOL_FOLDERS = {
  CARGO_HOME: '.cargo',
  RUSTUP_HOME: '.rustup',
  GOMODCACHE: 'go/pkg/mod',
  GRADLE_USER_HOME: '.gradle',
  NVM_DIR: '.nvm',
  PYENV_ROOT: '.pyenv',
  VOLTA_HOME: '.volta',
} as const;

/** A check that could not run is repeated once before that is its result, because it is no evidence about the work. */
export async function runGate(
  ctx: EngineContext,
  run: ActiveRun,
  candidate: Candidate,
  what: { gate: CommandGateSpec; overlay?: Overlay; isFresh?: boolean },
): Promise<GateResult> {
  const result = await runGateOnce(ctx, run, candidate, what);
  throwIfStopped(ctx, run);
  return result.verdict === 'error' ? runGateOnce(ctx, run, candidate, what) : result;
}

async function runGateOnce(
  ctx: EngineContext,
  run: ActiveRun,
  candidate: Candidate,
  what: { gate: CommandGateSpec; overlay?: Overlay; isFresh?: boolean },
): Promise<GateResult> {
  const options = await checkoutOf(ctx, run, candidate.commit);
  const { signal, env } = options;
  const containing = await containCommands(ctx, run, 'check');
  const { size } = ctx.checkSlots;
  const check = what.isFresh === true ? 'repeats the failed check' : 'check';
  const about = `${check} on ${what.overlay?.subject ?? checkedCommit(run, candidate)}: ${shellText(what.gate)}`;
  using step = ctx.activities.begin(
    { run, tasks: candidate.tasks },
    { kind: 'waiting', what: `waits for a free slot (${size} of ${size} checks run): ${about}` },
  );
  return await ctx.checkSlots.with(async () => {
    crashpoint('gate.starting');
    step.update({ kind: 'workspace', what: about, detail: 'prepares a clean checkout' });
    const token = ctx.world.token();
    const folder = join(ctx.home.attempts, `${run.id}-gate-${token}`);
    await using fresh = what.isFresh === true ? await freshEnvironment(env) : null;
    const result = await ctx.implementations.checkGate(what.gate, {
      changed: [],
      output: undefined,
      outputSchema: undefined,
      folder,
      env: fresh?.env ?? env,
      ...containing,
      signal,
      onRunning: (line) => step.update({ kind: 'check', what: about, ...(line === undefined ? {} : { detail: line }) }),
      checkout: () =>
        gateCheckout({
          ...options,
          observer: observePreparation(ctx, run, { step }),
          ...(what.overlay === undefined ? {} : { overlay: what.overlay }),
        }),
    });
    crashpoint('gate.exited');
    return keepOutput(result, {
      from: folder,
      to: join(ctx.home.attempts, `${run.id}-check-${token}`),
      redact: run.redact,
    });
  }, signal);
}

function checkedCommit({ ledger: { state } }: ActiveRun, { commit, tasks }: Candidate): string {
  if (state.status.kind === 'ended') return 'the result';
  if (tasks.length > 1) return `the candidate of ${tasks.length} tasks`;
  if (tasks.length === 1) return 'the candidate';
  if (commit === state.start.base.commit) return 'the base';
  return commit === state.tip.commit ? 'the branch of the run' : 'the landing';
}

/** How a commit of this run is checked out for its checks. */
export async function checkoutOf(ctx: EngineContext, run: ActiveRun, commit: string): Promise<CheckoutOptions> {
  const { start } = run.ledger.state;
  return {
    mirror: run.project.mirror,
    home: ctx.home.root,
    project: run.project.id,
    commit,
    config: start.config.workspace,
    root: start.project.root,
    kept: run.keptDependencies,
    env: childEnvironment(ctx.env, { CI: 'true' }),
    ...(await containCommands(ctx, run, 'setup')),
    signal: AbortSignal.any([ctx.stopping, run.cancel.signal]),
    ...lfsOf(run.project),
  };
}

/** An aborted gate has no verdict. */
export function throwIfStopped(ctx: EngineContext, run: ActiveRun): void {
  ctx.stopping.throwIfAborted();
  run.cancel.signal.throwIfAborted();
}

/** An environment with an empty HOME and TMPDIR, in which installed toolchains are still found; removed when disposed. */
async function freshEnvironment(
  env: Record<string, string>,
): Promise<{ env: Record<string, string> } & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'mh-'));
  const tools = Object.entries(TOOL_FOLDERS).map(([name, path]) => [name, env[name] ?? join(env.HOME ?? '/', path)]);
  const [home, temporary] = [await mkdtemp(join(folder, 'home-')), await mkdtemp(join(folder, 'tmp-'))];
  return {
    env: { ...env, ...Object.fromEntries(tools), HOME: home, TMPDIR: temporary },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}
