import { relative, resolve } from 'node:path';
import type { Agent, Assignment } from '../../agents/agent.ts';
import { decidePolicy, type RuleDecision } from '../../core/policy/decide-policy.ts';
import { requestOf } from '../../core/policy/tool-request.ts';
import type { AttemptState, TaskState } from '../../core/run/state.ts';
import { changedPaths } from '../../git/read/touched.ts';
import type { SavedWork } from '../../schema/event.ts';
import type { Failure } from '../../schema/failure.ts';
import type { ActiveRun } from '../loop/context.ts';
import { policyOf } from './assignment.ts';
import type { JudgeCall } from './attempt-digest.ts';

const MOST_PATHS = 20;

/**
 * How the rules of the settings decide the calls of tools that an attempt's output shows. An agent that applies the rules
 * itself has not done what they deny, so that only what a person must approve is left.
 */
export function judgeOf({ capabilities }: Agent, { policy, workspace }: Assignment): JudgeCall | undefined {
  if (policy === undefined) return undefined;
  const { role, person, project, granted } = policy;
  const inside = (path: string) => {
    const found = relative(workspace, resolve(workspace, path));
    return found === '..' || found.startsWith('../') ? resolve(workspace, path) : found;
  };
  return (call) => {
    const decided = decidePolicy([project, person], requestOf(call, { role, inside }), granted);
    return decided.decision === 'deny' && capabilities.rules === true ? { ...decided, decision: 'allow' } : decided;
  };
}

/** What the rules of the settings decide about the files that an attempt changed, however it did that. */
export async function changesByPolicy(
  run: ActiveRun,
  { task, attempt, saved }: { task: TaskState; attempt: AttemptState; saved: SavedWork | undefined },
): Promise<{ failure?: Failure; toApprove: RuleDecision[] }> {
  const { policy } = policyOf(run, task);
  if (policy === undefined || saved?.changed !== true) return { toApprove: [] };
  const paths = await changedPaths(run.project.mirror, { from: attempt.base, to: saved.commit });
  const decided = paths.map((path) => {
    const request = { role: policy.role, tool: 'Edit', kind: 'Edit' as const, paths: [path] };
    return decidePolicy([policy.project, policy.person], request, policy.granted);
  });
  const denied = decided.filter(({ decision }) => decision === 'deny');
  const toApprove = decided.filter(({ decision }) => decision === 'ask');
  const [first] = denied;
  if (first === undefined) return { toApprove };
  const names = denied.slice(0, MOST_PATHS).map(({ path }) => path);
  const reason = first.rule?.reason === undefined ? '' : `: ${first.rule.reason}`;
  const message = `It changed ${names.join(', ')}, which ${first.rule?.source ?? 'the policy'} denies${reason}`;
  return { failure: { kind: 'implementation', message }, toApprove };
}
