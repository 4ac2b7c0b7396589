import { pushToRemote } from '../git/push-remote.ts';
import { readRemote } from '../git/remote.ts';
import type { ActiveRun, EngineContext } from './context.ts';
import { notPushed, refusalText } from './land-pr.ts';

/** Pushes the base to the remote where the settings ask for it, only forward; gives the reason if that is refused. */
export async function pushBase(
  ctx: EngineContext,
  run: ActiveRun,
  landed: { branch: string; commit: string },
): Promise<string | undefined> {
  const { git } = run.ledger.state.start.config;
  if (!git.push) return undefined;
  const signal = AbortSignal.any([ctx.stopping, run.cancel.signal]);
  const { mirror, repository } = run.project;
  const remote = await readRemote(repository, git.remote, signal);
  if (remote === undefined) return `There is no remote ${git.remote} to push ${landed.branch} to; set git.remote`;
  const pushed = await pushToRemote({ mirror, remote, ...landed, isOurs: false, signal });
  return pushed.kind === 'pushed'
    ? undefined
    : run.redact(refusalText(pushed, { remote, what: notPushed(landed.branch) }));
}
