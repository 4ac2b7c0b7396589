import type { RunEvent } from '../../schema/event.ts';
import type { Failure } from '../../schema/failure.ts';
import type { Evidence } from '../../schema/gate.ts';
import type { TaskKey } from '../../schema/ids.ts';
import type { TaskSpec, Verification } from '../../schema/task.ts';
import { endFailed } from '../run/end-tasks.ts';
import { requirePhase, requireTask } from '../run/require.ts';
import type { Candidate, RunState, TaskState } from '../run/state.ts';
import { judgeSteps } from './steps.ts';

/** Requests another agent to verify work that passed its gates on the merged candidate. */
export function propose(state: RunState, what: { task: TaskKey; candidate: Candidate }): RunEvent[] {
  const task = requireTask(state, what.task);
  requirePhase(task, 'landing');
  const { verify } = task.spec;
  if (verify === undefined) return [];
  const verifier = verifierFor(task, verify, what.candidate);
  return [
    { type: 'tasks.added', data: { specs: [verifier] } },
    { type: 'task.proposed', data: { task: what.task, candidate: what.candidate, verifier: verifier.key } },
  ];
}

/** The consequence of a verifier's answer for the verified work: it lands, is retried with the report, or fails. */
export function settle(
  state: RunState,
  verifier: TaskState,
  what: { output: unknown; summary: string; now: number; startedAt: number },
): RunEvent[] {
  const task = verifier.spec.verifies === undefined ? undefined : state.tasks[verifier.spec.verifies];
  if (task?.phase.status !== 'verifying' || task.phase.verifier !== verifier.spec.key) return [];
  const { candidate } = task.phase;
  const steps = task.spec.verify?.steps ?? [];
  const { passed, summary, report } = judgeSteps(what.output, steps);
  const key = task.spec.key;
  const evidence: Evidence = {
    gate: 'verify',
    verdict: passed ? 'pass' : 'fail',
    tree: candidate.tree,
    definition: `${verifier.spec.role} ${verifier.spec.key}`,
    setup: '',
    summary,
    exitCode: null,
    durationMs: Math.max(0, what.now - what.startedAt),
    reused: false,
    ...(report === '' ? {} : { output: report }),
  };
  const verified: RunEvent[] = [
    { type: 'gate.ended', data: { tasks: [key], commit: candidate.commit, evidence } },
    { type: 'task.verified', data: { task: key, verifier: verifier.spec.key, passed, report } },
  ];
  return passed ? verified : [...verified, ...sendBack(state, task, { summary, report, candidate, now: what.now })];
}

function sendBack(
  state: RunState,
  task: TaskState,
  what: { summary: string; report: string; candidate: Candidate; now: number },
): RunEvent[] {
  const rounds = task.spec.verify?.rounds ?? 1;
  const failure: Failure = { kind: 'verification', message: what.summary, evidence: what.report };
  const isOver = task.rounds >= rounds || state.attempts >= state.start.config.limits.runAttempts;
  if (isOver) return endFailed(state, task, { reason: `${what.summary} (verified ${times(task.rounds)})`, failure });
  const { commit, base } = what.candidate;
  return [
    {
      type: 'task.retrying',
      data: {
        task: task.spec.key,
        at: what.now,
        counted: false,
        resume: true,
        evidence: `${what.summary}\n\n${what.report}`.trim(),
        from: { commit, base },
      },
    },
  ];
}

function verifierFor(task: TaskState, verify: Verification, { commit }: Candidate): TaskSpec {
  const { agent, serve } = verify;
  return {
    key: `verify/${task.ordinal}.${task.verifications + 1}`,
    title: `Verify: ${task.spec.title}`.slice(0, 200),
    role: verify.role,
    needs: [],
    prompt: verify.prompt,
    access: 'read',
    verifies: task.spec.key,
    from: { commit, base: commit },
    gates: [{ gate: 'handoff', name: 'handoff' }],
    retry: { ...task.spec.retry, policy: 'same' },
    limits: verify.limits,
    priority: Math.min(10, task.spec.priority + 1),
    ...(agent === undefined ? {} : { agent }),
    ...(serve === undefined ? {} : { serve }),
    ...(task.spec.track === undefined ? {} : { track: task.spec.track }),
    ...(task.spec.labels === undefined ? {} : { labels: task.spec.labels }),
  };
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}
