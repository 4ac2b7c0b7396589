import type { CompactRun } from '../../schema/compact-run.ts';
import type { RiskSeverity } from '../../schema/risk.ts';
import { openWarnings } from '../attempt/fold-attempt.ts';
import { flagsOf, hasLanded, lastAttempt, type RunState } from '../run/state.ts';
import { nextStartAt } from '../schedule/start-time.ts';
import { activityOf, toolCallOf } from './activity.ts';
import { attention } from './attention.ts';
import { runDocument } from './document.ts';
import { runStatus } from './run-status.ts';
import { labelOf, taskArgument, taskLabel } from './task-label.ts';

/** A transcript row of the run, with its task. */
export type RunTranscriptItem = { id: number; task: string; at: number; kind: string; text: string; data?: unknown };

const MOST_CALLS = 50;
const MOST_FILES = 200;
const MOST_RISKS = 50;
const RANK: Readonly<Record<RiskSeverity, number>> = { high: 0, medium: 1, low: 2 };

/** A summary of a run: `rows` are the last rows of its last attempts, in order; with a cursor only newer ones are included. */
export function compactRun(
  state: RunState,
  rows: readonly RunTranscriptItem[],
  after: string | undefined,
): Omit<CompactRun, 'checkpoints'> {
  const since = cursorOf(after);
  const recent = rows.filter(({ id }) => id > since.row);
  const { result } = runDocument(state);
  const row = rows.at(-1)?.id ?? since.row;
  return {
    run: state.start.run,
    title: state.start.title,
    status: runStatus(state),
    phase: phaseOf(state),
    progress: {
      done: state.counts.done,
      total: state.order.length,
      counts: Object.fromEntries(Object.entries(state.counts).filter(([, count]) => count > 0)),
    },
    cost: state.spent.costUsd,
    ...(state.unknownUsage === undefined ? {} : { unknownUsage: state.unknownUsage }),
    lastAction: lastActionOf(rows),
    toolCalls: callsIn(recent),
    changedFiles: filesIn(recent),
    risks: risksOf(state),
    warnings: warningsOf(state),
    attention: attention(state),
    recommended: recommend(state),
    ...(state.status.kind !== 'ended' || result === undefined ? {} : { result }),
    cursor: `${state.version}.${row}`,
    unchanged: after !== undefined && since.version === state.version && row === since.row,
  };
}

function cursorOf(cursor: string | undefined): { version: number; row: number } {
  const match = /^(\d+)\.(\d+)$/.exec(cursor ?? '');
  return { version: Number(match?.[1] ?? 0), row: Number(match?.[2] ?? 0) };
}

function phaseOf(state: RunState): CompactRun['phase'] {
  const status = runStatus(state);
  const { running, landing, verifying } = state.counts;
  if (state.status.kind === 'ended') return 'ended';
  if (status === 'held' || status === 'blocked') return 'waiting';
  if (status === 'paused') return 'paused';
  if (nextStartAt(state) !== undefined) return 'scheduled';
  if (state.attempts === 0) return 'starting';
  const specs = Object.keys(state.running).flatMap((key) => state.tasks[key]?.spec ?? []);
  if (specs.some(({ role }) => role === 'plan')) return 'planning';
  if (specs.length > 0 && specs.every(({ verifies }) => verifies !== undefined)) return 'verifying';
  if (running > 0) return 'working';
  if (landing > 0) return 'landing';
  return verifying > 0 ? 'verifying' : 'working';
}

function lastActionOf(rows: readonly RunTranscriptItem[]): CompactRun['lastAction'] {
  for (const row of rows.toReversed()) {
    const what = activityOf(row);
    if (what !== null) return { at: new Date(row.at).toISOString(), task: row.task, what };
  }
  return null;
}

function callsIn(rows: readonly RunTranscriptItem[]): CompactRun['toolCalls'] {
  const calls = new Map<string, CompactRun['toolCalls'][number]>();
  for (const row of rows) {
    if (row.kind !== 'tool-call') continue;
    const { tool, detail } = toolCallOf(row);
    const name = JSON.stringify([row.task, tool, detail]);
    const times = (calls.get(name)?.times ?? 0) + 1;
    calls.delete(name);
    calls.set(name, { task: row.task, tool, detail, times });
  }
  return [...calls.values()].slice(-MOST_CALLS);
}

function filesIn(rows: readonly RunTranscriptItem[]): string[] {
  const paths = rows.flatMap(({ kind, data }) =>
    kind === 'file-change' && typeof data === 'object' && data !== null && 'path' in data ? [String(data.path)] : [],
  );
  return [...new Set(paths)].slice(-MOST_FILES);
}

function risksOf(state: RunState): CompactRun['risks'] {
  const risks = state.order.flatMap((key) => {
    const task = state.tasks[key];
    return task === undefined ? [] : flagsOf(task).map((flag) => ({ ...flag, task: key, label: taskLabel(task.spec) }));
  });
  return risks.sort((a, b) => RANK[a.severity] - RANK[b.severity]).slice(0, MOST_RISKS);
}

function warningsOf(state: RunState): CompactRun['warnings'] {
  return Object.keys(state.running).flatMap((task) => {
    const known = state.tasks[task];
    const attempt = known === undefined ? undefined : lastAttempt(known);
    return openWarnings(attempt).map(({ message }) => ({ task, label: labelOf(state, task), message }));
  });
}

/** The recommended action for a person or a program; what waits longest for a person comes first. */
function recommend(state: RunState): CompactRun['recommended'] {
  const { run } = state.start;
  const status = runStatus(state);
  const [first] = attention(state);
  if (state.status.kind !== 'ended' && first !== undefined) {
    if (first.what === 'question')
      return { action: 'answer', task: first.task, because: first.reason, command: first.nextStep };
    if (first.subRun !== undefined)
      return { action: 'inspect', task: first.task, because: first.reason, command: first.nextStep };
    const action = ({ plan: 'approve', held: 'approve', blocked: 'retry', paused: 'resume' } as const)[first.what];
    const command = `manyhands ${action} ${run}${first.task === null ? '' : ` ${taskArgument(state, first.task)}`}`;
    return { action, task: first.task, because: first.reason, command };
  }
  const [warning] = warningsOf(state);
  if (warning !== undefined) {
    const { task, message } = warning;
    return { action: 'inspect', task, because: message, command: `manyhands logs ${run} ${taskArgument(state, task)}` };
  }
  if (state.status.kind !== 'ended')
    return { action: 'wait', task: null, because: 'it continues without you', command: `manyhands wait ${run}` };
  const { reason } = state.status;
  if (status === 'failed') return { action: 'retry', task: null, because: reason, command: `manyhands retry ${run}` };
  const isOpen =
    (status === 'done' || status === 'unverified' || status === 'partial') &&
    state.tip.commit !== state.start.base.commit;
  if (isOpen && !hasLanded(state)) {
    const because =
      status === 'done' ? 'every check passed, and it has not landed' : 'no check verifies it: review it first';
    const action = status === 'done' ? ('land' as const) : ('inspect' as const);
    return { action, task: null, because, command: `manyhands ${action === 'land' ? 'land' : 'diff'} ${run}` };
  }
  return { action: 'none', task: null, because: reason, command: null };
}
