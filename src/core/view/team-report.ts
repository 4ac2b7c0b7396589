import type { TeamReport } from '../../schema/report/work-report.ts';
import type { AttemptState, RunState } from '../run/state.ts';
import { chargeOf, countUnknown } from '../schedule/budget.ts';
import { runStatus } from './run-status.ts';

type Member = TeamReport['members'][number];

/** Who did what in these runs; attempts that still run count their time until now. */
export function teamReport(runs: readonly RunState[], now: number): TeamReport {
  const members = new Map<string, Member>();
  for (const { order, tasks } of runs)
    for (const key of order)
      for (const attempt of tasks[key]?.attempts ?? []) {
        const role = tasks[key]?.spec.role ?? '';
        const name = JSON.stringify([attempt.agent, role]);
        const member = members.get(name) ?? newMember(attempt.agent, role);
        members.set(name, member);
        add(member, attempt, now);
      }
  return {
    runs: runs.map((state) => ({
      run: state.start.run,
      title: state.start.title,
      status: runStatus(state),
      cost: state.spent.costUsd,
      ...(state.unknownUsage === undefined ? {} : { unknownUsage: state.unknownUsage }),
      tasks: state.order.length,
      done: state.counts.done,
    })),
    members: [...members.values()].sort(
      (a, b) => b.cost - a.cost || b.attempts - a.attempts || (a.agent < b.agent ? -1 : 1),
    ),
    together: togetherOf(runs),
  };
}

function newMember(agent: string, role: string): Member {
  return { agent, role, attempts: 0, succeeded: 0, failed: 0, rejected: 0, busyMs: 0, cost: 0 };
}

function add(member: Member, { ended, startedAt, usage, reservation }: AttemptState, now: number): void {
  member.attempts += 1;
  member.busyMs += Math.max((ended?.at ?? now) - startedAt, 0);
  member.cost += ended === null && usage.kind === 'unknown' ? 0 : chargeOf(usage, reservation).costUsd;
  if (ended === null) return;
  countUnknown(member, usage, reservation);
  if (ended.failure !== null) member.failed += 1;
  else if (ended.rejected !== undefined) member.rejected += 1;
  else member.succeeded += 1;
}

function togetherOf(runs: readonly RunState[]): TeamReport['together'] {
  const tasks = runs.flatMap(({ order, tasks: all }) => order.flatMap((key) => all[key] ?? []));
  const questions = tasks.flatMap((task) => task.questions ?? []);
  return {
    subtasks: tasks.filter(({ spec }) => spec.requestedBy?.kind === 'task').length,
    subruns: runs.reduce((sum, { subRuns = [] }) => sum + subRuns.length, 0),
    questions: questions.length,
    unanswered: questions.filter(({ answer }) => answer === null).length,
    messages: tasks.reduce((sum, { messages }) => sum + messages.length, 0),
    conflicts: tasks.filter(({ spec }) => spec.resolves !== undefined).length,
    decisions: runs.reduce((sum, { answers }) => sum + answers.length, 0),
  };
}
