import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GateResult } from '../../gates/gate.ts';
import { shellText } from '../../gates/gate-kinds.ts';
import { type CheckoutOptions, gateCheckout } from '../../workspaces/checkout.ts';
import { childEnvironment } from '../../workspaces/environment.ts';
import { crashpoint } from '../../world.ts';
import { containCommands } from '../attempt/containment.ts';
import { type ActiveRun, type EngineContext, lfsOf } from '../loop/context.ts';
import type { Candidate, CheckRequest } from './check-request.ts';
import { keepOutput, observePreparation } from './evidence.ts';

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

/** Runs a check once, on this machine. */
export async function performCheck(ctx: EngineContext, run: ActiveRun, what: CheckRequest): Promise<GateResult> {
  const { candidate } = what;
  const options = await checkoutOf(ctx, run, candidate.commit);
  const { signal, env } = options;
  const containing = await containCommands(ctx, run, 'check');
  const { size } = ctx.checkSlots;
  const about = describeCheck(run, what);
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

/** What is shown while a check waits or runs. */
export function describeCheck(run: ActiveRun, { candidate, gate, overlay, isFresh }: CheckRequest): string {
  const check = isFresh === true ? 'repeats the failed check' : 'check';
  return `${check} on ${overlay?.subject ?? checkedCommit(run, candidate)}: ${shellText(gate)}`;
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
