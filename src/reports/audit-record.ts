import { redactForms } from '../core/redact.ts';
import type { AttemptState, RunState, TaskState } from '../core/run/state.ts';
import type { AuditRecord } from '../schema/audit.ts';
import type { ShownEvent } from '../schema/event.ts';
import { decisionTrail } from './trail.ts';

/** Who requested a run, who decided what, what ran with which permissions, what it reached and what changed. */
export function auditRecord(state: RunState, events: readonly ShownEvent[], head: string): AuditRecord {
  const { start, tip, landed } = state;
  const { sandbox, scope, tools } = start.config;
  const tasks = state.order.flatMap((key) => state.tasks[key] ?? []);
  const started = events.find(({ type }) => type === 'run.started');
  return {
    format: 1,
    run: start.run,
    title: start.title,
    project: start.project.folder ?? start.project.root,
    head,
    requested: {
      at: timeText(state.startedAt),
      by: started?.origin ?? null,
      recipe: start.recipe.name,
      request: redactForms(typeof start.input === 'string' ? start.input : JSON.stringify(start.input ?? null)),
    },
    permissions: { sandbox, policy: [], settings: { scope, tools } },
    decisions: decisionTrail(events).map(({ at, by, origin, about, decision, reason }) => ({
      at: timeText(at),
      by,
      origin: origin ?? null,
      about,
      decision,
      reason: redactForms(reason),
    })),
    attempts: tasks.flatMap((task) => task.attempts.map((attempt) => attemptRecord(task, attempt))),
    changed: {
      base: start.base.commit,
      result: tip.commit === start.base.commit ? null : tip.commit,
      landed: landed === null ? null : { branch: landed.branch, commit: landed.commit, how: landed.how },
      tasks: tasks.map(({ spec, phase, attempts }) => ({
        task: spec.key,
        commit: 'commit' in phase ? phase.commit : (attempts.at(-1)?.ended?.saved?.commit ?? null),
        status: phase.status,
      })),
    },
  };
}

function attemptRecord({ spec }: TaskState, attempt: AttemptState): AuditRecord['attempts'][number] {
  const { number, agent, account, startedAt, process, ended } = attempt;
  return {
    task: spec.key,
    attempt: number,
    role: spec.role,
    access: spec.access,
    agent,
    account,
    startedAt: timeText(startedAt),
    endedAt: ended === null ? null : timeText(ended.at),
    containment: process?.containment ?? null,
    reached: null,
    outcome: ended === null ? 'running' : (ended.failure?.kind ?? 'ended'),
    commit: ended?.saved?.commit ?? null,
  };
}

function timeText(at: number): string {
  return new Date(at).toISOString();
}
