import { isBuiltInRehearsal } from '../core/finish/outcomes.ts';
import { needsNetwork } from '../core/land/missing-network.ts';
import { isApproved } from '../core/run/holds.ts';
import type { RunState, TaskState } from '../core/run/state.ts';
import { isSatisfied } from '../gates/gate-kinds.ts';
import type { Hold } from '../schema/event.ts';
import type { Evidence } from '../schema/gate.ts';
import type { TaskSpec } from '../schema/task.ts';
import type { Recipe, Unfolding } from './recipe.ts';
import { taskSpec } from './task-spec.ts';

const REPAIR_KEY = 'repair/1';
const REPAIR = 'repair';
const OPTIONS = [
  { id: REPAIR, label: 'repair the base first, with a task of its own' },
  { id: 'continue', label: 'continue: one of the tasks makes the checks pass' },
];
const NOTHING_NEW: Unfolding = { add: [] };

/** The checks that failed before any work began, and that no repair of the base has made pass since; none where they may keep failing. */
export function redOnBase(run: RunState): Evidence[] {
  if (run.tasks[REPAIR_KEY]?.phase.status === 'done' || run.start.config.baseRed === 'known') return [];
  return (run.baseEvidence ?? []).filter((evidence) => !isSatisfied(evidence.verdict));
}

/** The hold of a run whose checks fail on the base, where the configuration says `baseRed: block` and no person approved it. */
export function redBaseHold(run: RunState, red: readonly Evidence[]): { hold?: Hold } {
  const subject = red[0]?.tree;
  if (subject === undefined || run.start.config.baseRed !== 'block' || isApproved(run, 'base-red', subject)) return {};
  return { hold: { what: 'base-red', reason: `${failing(red)}; approve to continue`, files: [], subject } };
}

/** The task that makes the checks pass before other work begins. */
export function repairTask(run: RunState, red: readonly Evidence[]): TaskSpec {
  return taskSpec(run.start.config, {
    key: REPAIR_KEY,
    title: 'Make the checks green before the work begins',
    role: 'repair',
    access: 'write',
    prompt: describeEvidence(red),
  });
}

/** A recipe whose task may be about the failing checks of the base: only a rehearsal, which repairs nothing, ends at once. */
export function acceptingRedBase<Input>(recipe: Recipe<Input>): Recipe<Input> {
  return {
    ...recipe,
    unfold: (run, input, ended) =>
      rehearsalFailure(run) === undefined ? recipe.unfold(run, input, ended) : NOTHING_NEW,
    failure: (run, input) => rehearsalFailure(run) ?? recipe.failure?.(run, input),
  };
}

/** A recipe of many tasks, none of which could land on a red base: it begins once the base is repaired, or a person decides. */
export function requiringGreenBase<Input>(recipe: Recipe<Input>): Recipe<Input> {
  return acceptingRedBase({
    ...recipe,
    unfold: (run, input, ended) => {
      const isRepair = ended?.spec.key === REPAIR_KEY;
      return beforeWork(run) ?? recipe.unfold(run, input, isRepair ? undefined : ended);
    },
  });
}

/** What happens before the first task on a red base; undefined where the work may begin. */
function beforeWork(run: RunState): Unfolding | undefined {
  const red = redOnBase(run);
  const subject = red[0]?.tree;
  const repair: TaskState | undefined = run.tasks[REPAIR_KEY];
  if (repair !== undefined) return repair.phase.status === 'done' ? undefined : NOTHING_NEW;
  if (subject === undefined || run.order.length > 0) return undefined;
  const answer = run.answers.findLast(({ what, choice }) => what === 'base-red' && choice === 'approve');
  if (answer === undefined && run.start.config.baseRed !== 'repair') {
    const reason = `${failing(red)}, so nothing could land`;
    return { add: [], hold: { what: 'base-red', reason, files: [], subject, options: OPTIONS } };
  }
  return answer === undefined || answer.option === REPAIR ? { add: [repairTask(run, red)] } : undefined;
}

/** Why a rehearsal with the built-in scenario ends before its first task, if it does. */
function rehearsalFailure(run: RunState): string | undefined {
  const red = redOnBase(run);
  if (red.length === 0 || run.order.length > 0 || !isBuiltInRehearsal(run)) return undefined;
  return `${failing(red)}; a rehearsal repairs no base: make it pass and start again, or leave the check out`;
}

function failing(red: readonly Evidence[]): string {
  const names = red.map((evidence) => evidence.gate).join(', ');
  const because = red.every(needsNetwork)
    ? ' because checks have no network access (name the hosts in network.allow of your own settings)'
    : '';
  return `${names} ${red.length === 1 ? 'fails' : 'fail'} on the base${because}, before any work`;
}

/** The evidence as a prompt shows it. */
export function describeEvidence(red: readonly Evidence[]): string {
  return red.map((evidence) => `${evidence.gate}: ${evidence.summary}\n${evidence.output ?? ''}`.trim()).join('\n\n');
}
