import { isSimulated } from '../../agents/agent-kinds.ts';
import { candidateGates } from '../../gates/gate-kinds.ts';
import type { RunEnd } from '../../schema/coordination/sub-run.ts';
import type { FailureKind } from '../../schema/failure.ts';
import type { BenchResult, BenchVerdict, ModelOutcome } from '../../schema/model.ts';
import { modelFor } from '../models/tier.ts';
import type { AttemptState, RunState, TaskState } from '../run/state.ts';
import { chargeOf, roundMoney } from '../schedule/budget.ts';

/** Failures that count against an agent; all others are caused by its provider, by us, or by the machine. */
const BLAMED: ReadonlySet<FailureKind> = new Set([
  'tests',
  'verification',
  'stalled',
  'timeout',
  'crashed',
  'context-full',
  'refused',
  'no-change',
  'bad-output',
  'implementation',
]);

type Judged = 'good' | 'bad' | 'open';

/** What the checks decided about the work of each agent, by role and model, in a run that ends like this. */
export function outcomesOf(state: RunState, end: RunEnd): ModelOutcome[] {
  const rows = new Map<string, ModelOutcome>();
  for (const key of state.order) {
    const task = state.tasks[key];
    for (const attempt of task?.attempts ?? []) {
      if (task === undefined || attempt.ended === null || isRehearsed(state, attempt)) continue;
      const row = rowFor(rows, { role: task.spec.role, agent: attempt.agent, model: modelOf(state, attempt) });
      row.attempts += 1;
      row.costUsd = roundMoney(row.costUsd + chargeOf(attempt.usage, attempt.reservation).costUsd);
      const judged = judge(task, attempt, end);
      if (judged !== 'open') row[judged] += 1;
    }
  }
  return [...rows.values()];
}

/** The result of a benchmark's run; a failure that the model did not cause is an error, not a verdict. */
export function benchResultOf(
  state: RunState,
  end: { status: RunEnd; reason: string; at: number },
): BenchResult | undefined {
  const { bench, run } = state.start;
  const task = state.tasks[state.order[0] ?? ''];
  const attempt = task?.attempts.at(-1);
  if (bench === undefined || task === undefined || attempt === undefined) return undefined;
  const judged = judge(task, attempt, end.status);
  const failure = attempt.ended?.failure?.message;
  return {
    run,
    kind: bench.kind,
    agent: attempt.agent,
    model: modelOf(state, attempt),
    verdict: VERDICTS[judged],
    reason: reasonOf(judged, failure ?? textOf(task) ?? end.reason, failure !== undefined),
    costUsd: state.spent.costUsd,
    durationMs: Math.max(0, (attempt.ended?.at ?? end.at) - attempt.startedAt),
  };
}

const VERDICTS: Readonly<Record<Judged, BenchVerdict>> = { good: 'pass', bad: 'fail', open: 'error' };

/** A rehearsal may have the name of an agent, and is no evidence about it. */
export function isRehearsed({ start }: RunState, { agent }: AttemptState): boolean {
  return isSimulated(start.config.agents[agent]?.kind);
}

/** Whether every agent of a run is scripted by the built-in scenario, so that its work is not to be landed. */
export function isBuiltInRehearsal({ start }: RunState): boolean {
  const { agents, routing } = start.config;
  const isScripted = (name: string) => isSimulated(agents[name]?.kind) && agents[name]?.scenario === undefined;
  return routing.order.length > 0 && routing.order.every(isScripted);
}

/** The model that the settings name for the attempt, else the one that was billed. */
export function modelOf({ start }: RunState, { agent, tier, usage }: AttemptState): string | null {
  const declared = modelFor(start.config.agents[agent], tier ?? undefined);
  return declared ?? (usage.kind === 'known' ? (usage.model ?? null) : null);
}

function rowFor(
  rows: Map<string, ModelOutcome>,
  { role, agent, model }: Pick<ModelOutcome, 'role' | 'agent' | 'model'>,
): ModelOutcome {
  const key = JSON.stringify([role, agent, model]);
  const row = rows.get(key) ?? { role, agent, model, attempts: 0, good: 0, bad: 0, costUsd: 0 };
  rows.set(key, row);
  return row;
}

/** Work that changes code is good when it landed through a check; an answer when the run that used it ended verified. */
function judge(task: TaskState, attempt: AttemptState, end: RunEnd): Judged {
  const failure = attempt.ended?.failure ?? null;
  if (failure !== null) return BLAMED.has(failure.kind) ? 'bad' : 'open';
  const { phase, spec } = task;
  const isLast = attempt === task.attempts.at(-1);
  const isChecked = candidateGates(spec.gates).length > 0;
  if (spec.access === 'read') return isLast && phase.status === 'done' && end === 'done' ? 'good' : 'open';
  if (!isChecked) return 'open';
  if (!isLast) return 'bad';
  if (phase.status === 'done') return 'good';
  return phase.status === 'failed' && phase.failure !== null && BLAMED.has(phase.failure.kind) ? 'bad' : 'open';
}

function reasonOf(judged: Judged, reason: string, hasFailure: boolean): string {
  if (judged === 'good') return 'its check passed';
  return judged === 'bad' && !hasFailure ? 'its check failed' : reason;
}

function textOf({ phase }: TaskState): string | undefined {
  return 'reason' in phase && phase.reason !== '' ? phase.reason : undefined;
}
