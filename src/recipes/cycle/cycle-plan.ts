import { isApproved } from '../../core/run/holds.ts';
import { lastAttempt, type RunState, type TaskState } from '../../core/run/state.ts';
import type { GateSpec } from '../../schema/gate.ts';
import { CyclePlan } from '../../schema/output.ts';
import { scopeGatesOf } from '../task-spec.ts';

/** A plan of a cycle as it was made; `generation` counts from 1, and `isRead` says that a person approved it. */
export type MadePlan = { generation: number; key: string; ordinal: number; plan: CyclePlan; isRead: boolean };

/** More milestones than this are usually steps of a few larger ones. */
const MANY_MILESTONES = 22;

/** A command that exits 0 whatever the code does. */
export const ALWAYS_TRUE =
  /^\s*(?:true|:|exit(?:\s+0)?|echo\b[^&|;]*|printf\b[^&|;]*|test\s+1(?:\s+-eq\s+1)?)?\s*$|(?:\|\||;)\s*(?:true|:|exit\s+0)\s*$/;

/** Why a plan cannot be used, if it cannot: the planner gets the reason and repairs it. */
export function refuseCyclePlan(output: unknown): string | undefined {
  const parsed = CyclePlan.safeParse(output);
  if (!parsed.success)
    return parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the plan'}: ${message}`).join('; ');
  const { milestones } = parsed.data;
  const titles = milestones.map(({ title }) => title.toLowerCase().replace(/\s+/g, ' '));
  const twice = titles.find((title, index) => titles.indexOf(title) !== index);
  if (twice !== undefined) return `two milestones have the title "${twice}"`;
  const empty = milestones.findIndex(({ check }) => check !== undefined && ALWAYS_TRUE.test(check));
  return empty < 0
    ? undefined
    : `milestones.${empty}.check: "${milestones[empty]?.check}" passes whatever the code does; leave it out, or name a command that fails until the milestone is reached`;
}

/** The plans of a run, the oldest first; a later one replaces the earlier ones, which stay recorded. */
export function plansOf(run: RunState): MadePlan[] {
  const plans: MadePlan[] = [];
  for (let generation = 1; ; generation += 1) {
    const task = run.tasks[planKey(generation)];
    if (task === undefined) return plans;
    const plan = CyclePlan.safeParse(task.phase.status === 'done' ? lastAttempt(task)?.ended?.output : undefined).data;
    const { key } = task.spec;
    if (plan !== undefined)
      plans.push({ generation, key, ordinal: task.ordinal, plan, isRead: isApproved(run, 'plan', key) });
  }
}

export function planKey(generation: number): string {
  return `plan/${generation}`;
}

/** The newest task that makes a plan, finished or not. */
export function newestPlanTask(run: RunState): TaskState | undefined {
  let task = run.tasks[planKey(1)];
  for (let generation = 2; run.tasks[planKey(generation)] !== undefined; generation += 1)
    task = run.tasks[planKey(generation)];
  return task;
}

/** What is unusual about a plan. */
export function planWarnings({ milestones }: CyclePlan): string[] {
  if (milestones.length <= MANY_MILESTONES) return [];
  return [`The plan has ${milestones.length} milestones; more than ${MANY_MILESTONES} are often steps of larger ones`];
}

/** The name of the gate that runs the check of a milestone. */
export function milestoneGate(id: string): string {
  return `milestone ${id}`;
}

/** The checks of the milestones, which only inform, and the scope that the contract sets. */
export function planGates({ milestones, contract }: CyclePlan): GateSpec[] {
  const checks = milestones.flatMap(({ check }, index) =>
    check === undefined
      ? []
      : [
          {
            gate: 'command' as const,
            name: milestoneGate(`M${index + 1}`),
            run: check,
            timeoutMs: 600_000,
            informs: true,
            rerun: 0,
          },
        ],
  );
  return [...checks, ...scopeGatesOf({ allow: contract.allow, deny: contract.deny })];
}
