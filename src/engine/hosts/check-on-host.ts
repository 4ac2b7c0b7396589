import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { stateForCheck } from '../../core/attempt/order.ts';
import { startCheck } from '../../core/land/decide-landing.ts';
import { labelsOfCheck } from '../../core/schedule/labels.ts';
import { messageOf } from '../../errors.ts';
import type { GateResult } from '../../gates/gate.ts';
import type { Fleet } from '../../store/fleet.ts';
import { projectHosts } from '../attempt/network.ts';
import type { CheckRequest } from '../land/check-request.ts';
import { keepOutput, runTranscriptName } from '../land/evidence.ts';
import { describeCheck } from '../land/perform-check.ts';
import type { RunningStep } from '../loop/activities.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import { isOfUnknownKind } from './attempt-order.ts';
import { type CheckOrder, CheckReport } from './check-order.ts';
import type { CheckSlots } from './check-slots.ts';
import { exchangeForHosts } from './exchange.ts';
import { recordTranscript } from './record-transcript.ts';

/** What checks on hosts need: the hosts, their slots, and a way for commits to them. */
type Ordering = {
  fleet: Fleet;
  slots: CheckSlots;
  /** Brings commits to where hosts find them. */
  share(commits: readonly string[]): Promise<void>;
};

type Ordered = Ordering & { request: CheckRequest; signal: AbortSignal; step: RunningStep; about: string };

/** Lets a host run a check, and another one where that is lost or cannot run it now. */
export async function checkOnHost(
  ctx: EngineContext,
  run: ActiveRun,
  request: CheckRequest,
  ordering: Ordering,
): Promise<GateResult> {
  const signal = AbortSignal.any([ctx.stopping, run.cancel.signal]);
  const about = describeCheck(run, request);
  const { commit, tasks } = request.candidate;
  using step = ctx.activities.begin({ run, tasks }, { kind: 'waiting', what: `waits for a host: ${about}` });
  const commits = [commit, ...(request.overlay === undefined ? [] : [request.overlay.commit])];
  await ordering.share(commits);
  for (;;) {
    const result = await orderOnce(ctx, run, { ...ordering, request, signal, step, about });
    signal.throwIfAborted();
    if (result !== undefined) return result;
  }
}

/** The result of a check that one host ran; undefined if the host was lost, or could not run it now. */
async function orderOnce(ctx: EngineContext, run: ActiveRun, ordered: Ordered): Promise<GateResult | undefined> {
  const { fleet, slots, request, signal, step, about } = ordered;
  const labels = labelsOfCheck(run.ledger.state, request.gate);
  const onWaiting = (reason: string) =>
    step.update({ kind: 'waiting', what: `waits for a host (${reason}): ${about}` });
  using slot = await slots.take(labels, { signal, onWaiting });
  const { candidate, gate, overlay, isFresh } = request;
  const token = ctx.world.token();
  const id = `${run.id}-check-${token}`;
  const { objectFormat } = run.project.mirror;
  const commits = [...new Set([candidate.commit, ...(overlay === undefined ? [] : [overlay.commit])])];
  const { host, instance } = slot;
  const access = await exchangeForHosts(ctx, run.ledger.state.start.config, { order: id, host, commits });
  const body = {
    kind: 'check',
    state: stateForCheck(run.ledger.state),
    commit: candidate.commit,
    gate,
    ...(overlay === undefined ? {} : { overlay: { commit: overlay.commit, paths: [...overlay.paths] } }),
    ...(isFresh === undefined ? {} : { isFresh }),
    projectHosts: await projectHosts(run),
    git: { ...access, objectFormat, commits },
  } satisfies CheckOrder;
  const order = { id, kind: 'check' as const, host, instance, body: JSON.stringify(body) };
  const started = { tasks: candidate.tasks, commit: candidate.commit, gate: gate.name, host };
  await ctx.submit(run, () => startCheck(started), { order }).committed;
  step.update({ kind: 'check', what: `${about} (on ${host})` });
  const folder = join(ctx.home.attempts, `${run.id}-gate-${token}`);
  let isEnded = false;
  try {
    const result = await followCheck(ctx, run, { ...ordered, id, folder, host });
    isEnded = result !== undefined;
    const to = join(ctx.home.attempts, `${run.id}-check-${token}`);
    return result && (await keepOutput(result, { from: folder, to, redact: run.redact }));
  } finally {
    // A host stops a check whose result is no longer needed. Safe: if this server ends before that is sent, the next leader does it.
    (isEnded ? fleet.remove(id) : fleet.cancel(id, 'The check is no longer needed')).catch(() => {});
  }
}

type Followed = Ordered & { id: string; folder: string; host: string };

async function followCheck(
  ctx: EngineContext,
  run: ActiveRun,
  { fleet, signal, step, about, id, folder, host }: Followed,
): Promise<GateResult | undefined> {
  const outputFile = join(folder, 'output.txt');
  let hasOutput = false;
  for await (const followed of fleet.follow(id, signal)) {
    if (followed.kind === 'lost') return undefined;
    const report = CheckReport.safeParse(followed.body);
    if (!report.success && isOfUnknownKind(followed.body, CheckReport)) continue;
    if (!report.success) {
      // Safe: if this server ends before that is sent, the next leader stops the check.
      fleet.cancel(id, 'A report of the check cannot be read').catch(() => {});
      return unreadable(host, messageOf(report.error));
    }
    const { data } = report;
    switch (data.kind) {
      case 'transcript':
        await recordTranscript(ctx, run, runTranscriptName(run.id), data);
        break;
      case 'running':
        step.update({ kind: 'check', what: `${about} (on ${host})`, detail: data.line });
        break;
      case 'output':
        if (!hasOutput) await mkdir(folder, { recursive: true, mode: 0o700 });
        hasOutput = true;
        await appendFile(outputFile, data.text, { mode: 0o600 });
        break;
      case 'not-run':
        step.update({ kind: 'waiting', what: `waits for a host (${host} did not run it: ${data.reason}): ${about}` });
        return undefined;
      case 'checked':
        return { ...judged(host, data.result), ...(hasOutput ? { outputFile } : {}) };
    }
  }
  return undefined;
}

/** A host reports what it saw; only exit code 0 is a pass. */
function judged(host: string, reported: Extract<CheckReport, { kind: 'checked' }>['result']): GateResult {
  const { output, command, outputLines, tests, testList, ...rest } = reported;
  const isClaimed = rest.verdict === 'pass' && rest.exitCode !== 0;
  const summary = `The host ${host} reported success without exit code 0`;
  return {
    ...rest,
    ...(isClaimed ? { verdict: 'error' as const, summary } : {}),
    ...(output === undefined ? {} : { output }),
    ...(command === undefined ? {} : { command }),
    ...(outputLines === undefined ? {} : { outputLines }),
    ...(tests === undefined ? {} : { tests }),
    ...(testList === undefined ? {} : { testList }),
    host,
  };
}

function unreadable(host: string, why: string): GateResult {
  const summary = `The host ${host} sent a report that cannot be read: ${why}`;
  return { verdict: 'error', summary, exitCode: null, setup: '', durationMs: 0, host };
}
