import { promptText } from '../../roles/prompt.ts';
import type { Hold, RunEvent } from '../../schema/event.ts';
import type { Failure } from '../../schema/failure.ts';
import type { TaskKey } from '../../schema/ids.ts';
import type { RuleDecision } from '../policy/decide-policy.ts';
import type { HoldAnswer, RunState } from '../run/state.ts';

/** Failures of another kind than of the work: a request is held only after an attempt without one. */
const TEMPORARY: ReadonlySet<Failure['kind']> = new Set<Failure['kind']>([
  'rate-limit',
  'usage-limit',
  'overloaded',
  'auth',
  'billing',
  'network',
  'environment',
  'disk-full',
  'out-of-memory',
  'killed',
  'interrupted',
  'session-lost',
  'model-not-found',
]);

/** What the person has approved of what an agent of this task wanted to do. */
export function grantedTo(answers: readonly HoldAnswer[], task: TaskKey): string[] {
  return answersAbout(answers, task, 'approve');
}

/**
 * The hold for what an agent wanted to do and a rule wants a person to approve; undefined if there is nothing left to ask.
 * What a person has rejected is not held again.
 */
export function policyHold(
  state: RunState,
  { task, refused, failure }: { task: TaskKey; refused: readonly RuleDecision[]; failure: Failure | undefined },
): Hold | undefined {
  if (failure !== undefined && TEMPORARY.has(failure.kind)) return undefined;
  const rejected = answersAbout(state.answers, task, 'reject');
  const first = refused.find(({ decision, subject }) => decision === 'ask' && !rejected.includes(subject));
  if (first === undefined) return undefined;
  const reason = `The agent wants to do this, and ${ruleText(first)} wants a person to approve it first: ${first.subject}`;
  return { what: 'policy', reason, files: [], subject: first.subject };
}

/** Holds work that is about to land where its agent did what a rule denies, because its program could not be stopped before. */
export function heldIfDenied(
  state: RunState,
  refused: readonly RuleDecision[],
  events: readonly RunEvent[],
): RunEvent[] {
  const landing = events.find((event) => event.type === 'task.landing');
  if (landing === undefined) return [...events];
  const { task, commit } = landing.data;
  const hold = deniedHold(state, task, refused);
  return hold === undefined ? [...events] : [...events, { type: 'task.held', data: { task, hold, commit } }];
}

function deniedHold(state: RunState, task: TaskKey, refused: readonly RuleDecision[]): Hold | undefined {
  const known = state.answers.flatMap((answer) =>
    answer.what === 'risk' && answer.task === task ? [answer.subject] : [],
  );
  const first = refused.find(({ decision, subject }) => decision === 'deny' && !known.includes(subject));
  if (first === undefined) return undefined;
  const reason = `The agent did this although ${ruleText(first)} denies it: ${first.subject}`;
  return { what: 'risk', reason, files: [], subject: first.subject };
}

function ruleText({ rule }: RuleDecision): string {
  return `${rule?.source ?? 'the policy'}${rule?.reason === undefined ? '' : ` (${rule.reason})`}`;
}

/** The message to the next attempt about the answer to such a hold. */
export function grantedText(subject: string): string {
  return promptText('roles/sections/approved-call', { subject });
}

function answersAbout(answers: readonly HoldAnswer[], task: TaskKey, choice: HoldAnswer['choice']): string[] {
  return answers.flatMap((answer) =>
    answer.what === 'policy' && answer.task === task && answer.choice === choice && answer.subject !== null
      ? [answer.subject]
      : [],
  );
}
