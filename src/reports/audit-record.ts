import { z } from 'zod';
import { redactForms } from '../core/redact.ts';
import type { AttemptState, RunState, TaskState } from '../core/run/state.ts';
import { Origin } from '../schema/actor.ts';
import { CommandNetworkUse, ContainmentRecord, NetworkUse } from '../schema/containment.ts';
import type { ShownEvent } from '../schema/event.ts';
import { decisionTrail } from './trail.ts';

const At = z.string().describe('ISO time.');

/** The content of audit.json in an audit bundle. */
export const AuditRecord = z.object({
  format: z.literal(1),
  run: z.string(),
  title: z.string(),
  project: z.string(),
  head: z.string().describe('The chain head that covers all events of this bundle.'),
  requested: z.object({ at: At, by: Origin.nullable(), recipe: z.string(), request: z.string() }),
  permissions: z.object({
    sandbox: z.string(),
    policy: z.array(z.unknown()).describe('The rules of the run, in order.'),
    settings: z.record(z.string(), z.unknown()).describe('Scope, tools and network settings of the run.'),
  }),
  decisions: z
    .array(
      z.object({
        at: At,
        by: z.string(),
        origin: Origin.nullable(),
        about: z.string(),
        decision: z.string(),
        reason: z.string(),
      }),
    )
    .describe('Holds and who answered them, retries, landings, refused calls.'),
  attempts: z.array(
    z.object({
      task: z.string(),
      attempt: z.number().int(),
      role: z.string(),
      access: z.string(),
      agent: z.string(),
      account: z.string().nullable(),
      startedAt: At,
      endedAt: At.nullable(),
      containment: ContainmentRecord.nullable(),
      reached: NetworkUse.nullable().describe('Requests by host; null where it had the network of the machine.'),
      outcome: z.string(),
      commit: z.string().nullable(),
    }),
  ),
  commands: z.array(CommandNetworkUse).describe('What set-up commands and checks reached.'),
  changed: z.object({
    base: z.string(),
    result: z.string().nullable(),
    landed: z.object({ branch: z.string(), commit: z.string(), how: z.string() }).nullable(),
    tasks: z.array(z.object({ task: z.string(), commit: z.string().nullable(), status: z.string() })),
  }),
});
export type AuditRecord = z.infer<typeof AuditRecord>;

/** Who requested a run, who decided what, what ran with which permissions, what it reached and what changed. */
export function auditRecord(state: RunState, events: readonly ShownEvent[], head: string): AuditRecord {
  const { start, tip, landed } = state;
  const { sandbox, scope, tools, policy, network } = start.config;
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
    permissions: { sandbox, policy, settings: { scope, tools, network } },
    decisions: decisionTrail(events).map(({ at, by, origin, about, decision, reason }) => ({
      at: timeText(at),
      by,
      origin: origin ?? null,
      about,
      decision,
      reason: redactForms(reason),
    })),
    attempts: tasks.flatMap((task) => task.attempts.map((attempt) => attemptRecord(task, attempt))),
    commands: state.network ?? [],
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
    reached: ended?.network ?? null,
    outcome: ended === null ? 'running' : (ended.failure?.kind ?? 'ended'),
    commit: ended?.saved?.commit ?? null,
  };
}

function timeText(at: number): string {
  return new Date(at).toISOString();
}
