import { candidateGates, gatesOfCriterion, type InspectedCriterion, isSatisfied } from '../../gates/gate-kinds.ts';
import type { Acceptance, Criterion, EvidenceStatus, Finding } from '../../schema/acceptance.ts';
import type { FileChange } from '../../schema/change.ts';
import type { Evidence } from '../../schema/gate.ts';
import { lastAttempt, type RunState, type TaskState } from '../run/state.ts';
import { runStatus } from '../view/run-status.ts';
import { taskLabel } from '../view/task-label.ts';
import { changeSummary } from './change-summary.ts';
import { findingsOf, findingText, isOpen } from './findings.ts';
import { isChecked } from './verdict.ts';

/** The current state of a run's result in the user's repository. */
export type ResultSnapshot = {
  /** The tip of the branch of the run; null when there is none. */
  branch: { commit: string; tree: string } | null;
  /** The branch that the result landed on; null when it did not land. */
  base: {
    branch: string;
    /** Its current tip; null if the branch no longer exists. */
    commit: string | null;
    tree: string | null;
    /** Whether the tip still has the landing in its history. */
    holdsResult: boolean;
    /** The tree that landed; null if its commit no longer exists. */
    landedTree: string | null;
  } | null;
  /** What the run changed, from its base to its tip. */
  changes: FileChange[];
};

type CriterionResult = Acceptance['criteria'][number];

/** The current result: the judged commit, and whether it is unchanged since the run ended. */
type CurrentResult = { commit: string | null; tree: string | null; branch: CriterionResult };

/** Whether the current result of a run can be accepted; claims of agents do not count. */
export function acceptanceOf(state: RunState, snapshot: ResultSnapshot): Acceptance {
  const result = currentResult(state, snapshot);
  const findings = findingsOf(state, snapshot.changes);
  const evidence = hasResult(state) ? evidenceStatus(state, result.tree) : [];
  const criteria = [
    finished(state),
    result.branch,
    proven(state, evidence),
    inspected(state, 'scope') ?? pass('scope', 'no task has a scope'),
    inspected(state, 'secrets') ?? unsearched(state),
    risks(state, findings),
    tests(state, snapshot),
  ];
  const reasons = criteria.filter(({ verdict }) => verdict === 'fail').map(({ reason }) => reason);
  return {
    run: state.start.run,
    title: state.start.title,
    status: runStatus(state),
    acceptance: reasons.length === 0 ? 'verified' : 'blocked',
    commit: result.commit,
    tree: result.tree,
    criteria,
    evidence,
    findings,
    reasons,
  };
}

/** Whether the run made commits: the result of a read-only run has nothing to verify. */
function hasResult(state: RunState): boolean {
  return state.tip.commit !== state.start.base.commit;
}

function noResult({ status }: RunState, what: string): string {
  return status.kind === 'ended' ? `the run changed nothing ${what}`.trimEnd() : 'nothing has landed yet';
}

function finished(state: RunState): CriterionResult {
  const status = runStatus(state);
  const reason = state.status.kind === 'ended' ? state.status.reason : 'it has not ended';
  if (status === 'done') return pass('finished', `the run is done: ${reason}`);
  if (status === 'partial') return fail('finished', `the run is partly done: ${reason}`);
  if (status === 'unverified') return fail('finished', `the run ended unverified: ${reason}`);
  if (state.status.kind === 'ended')
    return fail('finished', `the run ${status === 'failed' ? 'failed' : 'was cancelled'}: ${reason}`);
  return fail('finished', `the run is ${status}, so its result is not final`);
}

function currentResult(state: RunState, snapshot: ResultSnapshot): CurrentResult {
  const { run } = state.start;
  if (!hasResult(state)) return { commit: null, tree: null, branch: pass('branch', noResult(state, '')) };
  if (state.undone !== null) {
    const { branch, commit } = state.undone;
    const result = { commit: state.landed?.commit ?? null, tree: snapshot.base?.landedTree ?? null };
    return {
      ...result,
      branch: fail('branch', `the run was undone: ${commit.slice(0, 10)} on ${branch} reverts it`),
    };
  }
  return snapshot.base === null ? onBranch(state, snapshot.branch, run) : onBase(state, snapshot.base);
}

function onBranch(state: RunState, branch: ResultSnapshot['branch'], run: string): CurrentResult {
  const { tip } = state;
  if (branch === null) {
    return {
      ...tip,
      branch: fail('branch', `the branch mh/${run} no longer exists; its commits are kept (manyhands salvage ${run})`),
    };
  }
  if (branch.commit === tip.commit)
    return { ...branch, branch: pass('branch', `mh/${run} has not moved since the run ended`) };
  const reason = `mh/${run} was moved from ${tip.commit.slice(0, 10)} to ${branch.commit.slice(0, 10)} by another user or process`;
  return {
    ...branch,
    branch: branch.tree === tip.tree ? warn('branch', `${reason}, with the same files`) : fail('branch', reason),
  };
}

function onBase(state: RunState, base: NonNullable<ResultSnapshot['base']>): CurrentResult {
  const commit = state.landed?.commit ?? null;
  const result = { commit, tree: base.landedTree };
  if (base.commit === null) return { ...result, branch: fail('branch', `the branch ${base.branch} no longer exists`) };
  if (!base.holdsResult) return { ...result, branch: fail('branch', `${base.branch} no longer contains the result`) };
  if (base.tree === base.landedTree)
    return { ...result, branch: pass('branch', `${base.branch} has not moved since the run landed`) };
  const reason = `${base.branch} has newer commits; the evidence is about ${commit?.slice(0, 10)}, not about its tip`;
  return { ...result, branch: warn('branch', reason) };
}

function proven(state: RunState, evidence: readonly EvidenceStatus[]): CriterionResult {
  if (!hasResult(state)) return pass('evidence', noResult(state, 'that could be checked'));
  if (evidence.length === 0) {
    return runStatus(state) === 'done'
      ? warn('evidence', `no check ran; each task was verified before it landed, ${verifiersText(state)}`)
      : fail('evidence', 'no check is configured, so nothing is proven');
  }
  const open = evidence.filter(
    ({ standing, verdict }) => standing !== 'current' || verdict === null || !isSatisfied(verdict),
  );
  if (open.length > 0) return fail('evidence', open.map(openText).join('; '));
  const unaffected = evidence.filter(({ verdict }) => verdict === 'not-applicable').map(({ gate }) => gate);
  if (unaffected.length === 0) return pass('evidence', 'every check passed on exactly this tree');
  const reason = `not applicable to the last change: ${unaffected.join(', ')}; the full check runs before the base moves`;
  return isChecked(state) ? warn('evidence', reason) : fail('evidence', `no check applied to the changes; ${reason}`);
}

/** Who verified the work: for each task another agent than the one that did it, or for some the same. */
function verifiersText(state: RunState): string {
  const verifications = state.order.flatMap((key) => {
    const task = state.tasks[key];
    return task?.spec.verifies === undefined ? [] : [{ verifier: task, work: state.tasks[task.spec.verifies] }];
  });
  const isSame = verifications.some(({ verifier, work }) => {
    return work !== undefined && lastAttempt(verifier)?.agent === lastAttempt(work)?.agent;
  });
  return isSame ? 'by the same agent, in a new session' : 'by another agent';
}

function openText({ gate, standing, summary }: EvidenceStatus): string {
  switch (standing) {
    case 'missing':
      return `${gate} never ran`;
    case 'stale':
      return `the evidence of ${gate} is stale: it is about another tree`;
    case 'current':
      return `${gate}: ${summary}`;
  }
}

/** The result of an inspection gate for all landed tasks. */
function inspected(state: RunState, criterion: InspectedCriterion): CriterionResult | undefined {
  const checked = landedTasks(state).flatMap((task) => {
    const names = gatesOfCriterion(task.spec.gates, criterion).map(({ name }) => name);
    return [...new Set(names)].map((name) => ({ task, name }));
  });
  if (checked.length === 0) return undefined;
  const open = checked.flatMap(({ task, name }) => {
    const found = task.evidence.findLast(({ gate }) => gate === name);
    return found?.verdict === 'pass' ? [] : [`${taskLabel(task.spec)}: ${found?.summary ?? `${criterion} never ran`}`];
  });
  return open.length === 0
    ? pass(criterion, `${criterion} passed for every task that landed`)
    : fail(criterion, open.join('; '));
}

function unsearched(state: RunState): CriterionResult {
  return hasResult(state)
    ? warn('secrets', 'the landed work was not scanned for secrets')
    : pass('secrets', noResult(state, 'that could contain secrets'));
}

function risks(state: RunState, findings: readonly Finding[]): CriterionResult {
  if (findings.length === 0) return pass('risks', 'no risk was found in the landed work');
  const open = findings.filter(isOpen);
  const shown = (open.length === 0 ? findings : open).map((finding) => findingText(state, finding)).join('; ');
  return open.length === 0 ? warn('risks', shown) : fail('risks', shown);
}

function tests(state: RunState, snapshot: ResultSnapshot): CriterionResult {
  if (!hasResult(state)) return pass('tests', noResult(state, 'that a test could cover'));
  const summary = changeSummary(snapshot.changes);
  const deleted = summary.risks.find(({ risk }) => risk === 'tests-deleted');
  if (deleted !== undefined) return warn('tests', `tests were deleted: ${deleted.files.slice(0, 5).join(', ')}`);
  return summary.tests.needed ? warn('tests', summary.tests.reason) : pass('tests', summary.tests.reason);
}

/** The tasks whose changes are part of the result. */
export function landedTasks(state: RunState): TaskState[] {
  return state.order.flatMap((key) => {
    const task = state.tasks[key];
    return task?.phase.status === 'done' && task.phase.commit !== null ? [task] : [];
  });
}

function pass(criterion: Criterion, reason: string): CriterionResult {
  return { criterion, verdict: 'pass', reason };
}

function warn(criterion: Criterion, reason: string): CriterionResult {
  return { criterion, verdict: 'warn', reason };
}

function fail(criterion: Criterion, reason: string): CriterionResult {
  return { criterion, verdict: 'fail', reason };
}

/** The status of each check of the run with respect to the current tree. */
function evidenceStatus(state: RunState, tree: string | null): EvidenceStatus[] {
  const taskEvidence = state.order.flatMap((key) => state.tasks[key]?.evidence ?? []);
  const all = [...taskEvidence, ...Object.values(state.proven), ...(state.baseEvidence ?? [])];
  return commandNames(state).map((gate) => statusOf(gate, all, tree));
}

/** The names of the commands that must pass, each once, in the order of the tasks. */
function commandNames(state: RunState): string[] {
  const names = new Set<string>();
  for (const key of state.order) {
    for (const { name, own } of candidateGates(state.tasks[key]?.spec.gates ?? [])) if (own !== true) names.add(name);
  }
  return [...names];
}

/** A failure on the current tree has precedence over a pass of the same check. */
function statusOf(gate: string, all: readonly Evidence[], tree: string | null): EvidenceStatus {
  const ofGate = all.filter((evidence) => evidence.gate === gate);
  const current = ofGate.filter((evidence) => evidence.tree === tree && evidence.stale !== true);
  const found =
    current.find(({ verdict }) => !isSatisfied(verdict)) ??
    current.find(({ verdict }) => verdict === 'pass') ??
    current[0];
  if (found !== undefined) return describe(found, 'current');
  const old = ofGate.findLast(({ verdict }) => verdict === 'pass') ?? ofGate.at(-1);
  if (old !== undefined) return describe(old, 'stale');
  return { gate, standing: 'missing', verdict: null, tree: null, summary: 'it never ran' };
}

function describe(evidence: Evidence, standing: 'current' | 'stale'): EvidenceStatus {
  const { gate, verdict, tree, summary } = evidence;
  return { gate, standing, verdict, tree, summary };
}
