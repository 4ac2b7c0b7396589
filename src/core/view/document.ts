import { RESUME_BY_HAND } from '../../agents/agent-kinds.ts';
import type { Filing } from '../../schema/collection.ts';
import type { RunDocument, RunSummary, TaskDocument } from '../../schema/document.ts';
import type { Evidence } from '../../schema/gate.ts';
import { diagnosisOf } from '../attempt/diagnosis.ts';
import { openWarnings } from '../attempt/fold-attempt.ts';
import { messageText } from '../attempt/message.ts';
import { isBuiltInRehearsal } from '../finish/outcomes.ts';
import { isReviewed, knownRedOf } from '../finish/verdict.ts';
import { type KeptEvidence, type OutputReader, wholeEvidence } from '../run/evidence-output.ts';
import { flagsOf, lastAttempt, type RunState, type SentMessage, type TaskState } from '../run/state.ts';
import { chargeOf } from '../schedule/budget.ts';
import { nextStartAt } from '../schedule/start-time.ts';
import { attention, isStuck } from './attention.ts';
import { runStatus } from './run-status.ts';
import { shellWord } from './shell-word.ts';
import { subRunDocument } from './sub-run-document.ts';
import { unknownOf } from './task-cost.ts';
import { taskArgument } from './task-label.ts';

/** Whether nothing more happens in the run without a person: it ended, or it waits for one. */
export function isSettled(state: RunState): boolean {
  return state.status.kind === 'ended' || isStuck(state);
}

/** The JSON document of a run, derived from the state and the outputs of its checks that are only in its events. */
export function runDocument(state: RunState, read: OutputReader = () => undefined): RunDocument {
  const { start } = state;
  const result = resultOf(state);
  return {
    run: start.run,
    version: state.version,
    title: start.title,
    recipe: start.recipe.name,
    project: start.project.folder ?? start.project.root,
    status: runStatus(state),
    reason: reasonOf(state),
    branch: state.pushed === null ? null : `mh/${start.run}`,
    commit: state.tip.commit === start.base.commit ? null : state.tip.commit,
    base: start.base,
    landed: landedDocument(state),
    undone: undoneDocument(state),
    cost: state.spent.costUsd,
    ...(state.unknownUsage === undefined ? {} : { unknownUsage: state.unknownUsage }),
    startedAt: new Date(state.startedAt).toISOString(),
    endedAt: state.status.kind === 'ended' ? new Date(state.status.at).toISOString() : null,
    nextAt: nextAtOf(state),
    ...(start.deadline === undefined ? {} : { deadline: new Date(start.deadline).toISOString() }),
    waitsFor: null,
    activity: [],
    ...(result === undefined ? {} : { result }),
    reviewed: isReviewed(state),
    ...(isBuiltInRehearsal(state) ? { rehearsal: true } : {}),
    ...(state.start.config.baseRed === 'known' ? { knownRed: knownRedOf(state) } : {}),
    invalidated: state.invalidated,
    attention: attention(state),
    ...(start.parent === undefined ? {} : { parent: { run: start.parent.run, task: start.parent.task } }),
    ...(state.subRuns === undefined ? {} : { subRuns: state.subRuns.map(subRunDocument) }),
    ...baseEvidenceOf(state),
    ...(state.network === undefined ? {} : { network: state.network }),
    ...(state.landingEvidence.length === 0 ? {} : { landingEvidence: wholeOnes(state.landingEvidence, read) }),
    tasks: state.order.flatMap((key) => {
      const task = state.tasks[key];
      return task === undefined ? [] : [taskDocument(state, task, read)];
    }),
  };
}

/** The document of a run with the structured result of each task, which the state that is sent to viewers does not contain. */
export function documentWithOutputs(state: RunState, read?: OutputReader): RunDocument {
  const document = runDocument(state, read);
  const tasks = document.tasks.map((shown) => {
    const task = state.tasks[shown.key];
    const output = task === undefined || isInvalidated(state, task) ? undefined : lastAttempt(task)?.ended?.output;
    return output === undefined ? shown : { ...shown, output };
  });
  return { ...document, tasks };
}

const NOT_FILED: Filing = { collection: null, hidden: false, flag: null };

/** A line of a list of runs; the state does not contain whether an engine runs it. */
export function runSummary(state: RunState, filing: Filing = NOT_FILED): RunSummary {
  const document = runDocument({ ...state, order: [] });
  const { run, title, recipe, project, status, cost, unknownUsage, startedAt, endedAt, nextAt } = document;
  return {
    run,
    title,
    recipe,
    project,
    status,
    cost,
    ...(unknownUsage === undefined ? {} : { unknownUsage }),
    startedAt,
    endedAt,
    nextAt,
    waitsFor: null,
    carried: false,
    tasks: state.order.length,
    done: state.counts.done,
    ...filing,
  };
}

/** While the checks run on the base, those that have failed so far. */
function baseEvidenceOf({ baseEvidence, baseFailures }: RunState): Pick<RunDocument, 'baseEvidence'> {
  const evidence = baseEvidence ?? baseFailures;
  return evidence === undefined ? {} : { baseEvidence: evidence };
}

function nextAtOf(state: RunState): string | null {
  const at = nextStartAt(state);
  return at === undefined ? null : new Date(at).toISOString();
}

function landedDocument({ landed, tip, order, tasks }: RunState): RunDocument['landed'] {
  if (landed === null) return null;
  const { tip: _, pullRequests, ...shown } = landed;
  if (pullRequests === undefined) return shown;
  const taskOf = (commit: string) =>
    order.find((key) => {
      const task = tasks[key];
      return task !== undefined && lastAttempt(task)?.ended?.saved?.commit === commit;
    });
  const listed = pullRequests.map(({ url, commit }) => ({
    url,
    commit,
    task: commit === tip.commit && pullRequests.length === 1 ? null : (taskOf(commit) ?? null),
  }));
  return { ...shown, pullRequests: listed };
}

function undoneDocument({ undone }: RunState): RunDocument['undone'] {
  return undone === null ? null : { ...undone, at: new Date(undone.at).toISOString() };
}

function wholeOnes(all: readonly KeptEvidence[], read: OutputReader): Evidence[] {
  return all.map((evidence) => wholeEvidence(evidence, read));
}

function taskDocument(state: RunState, task: TaskState, read: OutputReader): TaskDocument {
  const isStale = isInvalidated(state, task);
  const cost = task.attempts.reduce(
    (sum, attempt) => sum + (attempt.ended === null ? 0 : chargeOf(attempt.usage, attempt.reservation).costUsd),
    0,
  );
  const unknownUsage = unknownOf(task.attempts);
  const host = lastAttempt(task)?.host;
  return {
    key: task.spec.key,
    title: task.spec.title,
    name: task.spec.name ?? null,
    role: task.spec.role,
    status: isStale ? 'needs-rerun' : task.phase.status,
    reason: 'reason' in task.phase ? task.phase.reason : 'hold' in task.phase ? task.phase.hold.reason : null,
    ...(task.spec.because === undefined ? {} : { because: task.spec.because }),
    needs: task.spec.needs,
    track: task.spec.track ?? null,
    attempts: task.attempts.length,
    agent: lastAttempt(task)?.agent ?? null,
    ...(host === undefined ? {} : { host }),
    ...containmentDocument(task),
    ...networkDocument(task),
    terminal: lastAttempt(task)?.process?.terminal !== undefined,
    commit: 'commit' in task.phase ? task.phase.commit : (lastAttempt(task)?.ended?.saved?.commit ?? null),
    cost: Math.round(cost * 1e6) / 1e6,
    ...(unknownUsage === undefined ? {} : { unknownUsage }),
    evidence: wholeOnes(task.evidence, read),
    ...(task.earlierEvidence === undefined ? {} : { earlierEvidence: wholeOnes(task.earlierEvidence, read) }),
    flags: flagsOf(task),
    warnings: openWarnings(lastAttempt(task)).map(({ message }) => message),
    ...(task.messages.length === 0 ? {} : { messages: task.messages.map(messageDocument) }),
    ...resumeByHand(state, task),
    diagnosis: diagnosisOf(state, task),
  };
}

function networkDocument({ attempts }: TaskState): Pick<TaskDocument, 'network'> {
  const network = attempts.flatMap(({ number, ended }) =>
    ended?.network === undefined ? [] : [{ attempt: number, ...ended.network }],
  );
  return network.length === 0 ? {} : { network };
}

function containmentDocument({ attempts }: TaskState): Pick<TaskDocument, 'containment'> {
  const containment = attempts.flatMap(({ number, process: started }) =>
    started?.containment === undefined ? [] : [{ attempt: number, ...started.containment }],
  );
  return containment.length === 0 ? {} : { containment };
}

/** The command with which a person continues the last session of a failed or blocked task in its kept workspace. */
function resumeByHand(state: RunState, task: TaskState): Pick<TaskDocument, 'resumeCommand'> {
  const { run, config } = state.start;
  const attempt = lastAttempt(task);
  const session = task.attempts.findLast((each) => each.session !== null)?.session;
  const agent = attempt === undefined ? undefined : config.agents[attempt.agent];
  if (session == null || agent === undefined || !['failed', 'blocked'].includes(task.phase.status)) return {};
  const resuming = RESUME_BY_HAND.get(agent.kind);
  if (resuming === undefined) return {};
  const configDir = attempt?.account == null ? undefined : agent.accounts[attempt.account]?.configDir;
  const login = configDir === undefined ? '' : `${resuming.folder}=${shellWord(configDir)} `;
  const workspace = `cd "$(manyhands open ${run} ${taskArgument(state, task.spec.key)})"`;
  const program = shellWord(agent.command ?? resuming.program);
  return { resumeCommand: `${workspace} && ${login}${program} ${resuming.option} ${shellWord(session)}` };
}

/** Whether a task was done and must be done again, and has not begun to be. */
export function isInvalidated({ invalidated }: RunState, { spec, phase }: TaskState): boolean {
  return (phase.status === 'done' || phase.status === 'waiting') && invalidated.includes(spec.key);
}

function messageDocument(sent: SentMessage): { id: string; at: string; text: string } {
  return { id: sent.id, at: new Date(sent.at).toISOString(), text: messageText(sent) };
}

function reasonOf(state: RunState): string | null {
  switch (state.status.kind) {
    case 'ended':
    case 'cancelling':
      return state.status.reason;
    case 'held':
      return state.status.hold.reason;
    case 'running':
      return isStuck(state) ? (attention(state)[0]?.reason ?? null) : null;
  }
}

/** The result of a run that only answers: the text or structured output of its only task, or of the last repetition of it. */
function resultOf(state: RunState): unknown {
  const tasks = state.order.flatMap((key) => state.tasks[key] ?? []).filter(({ spec }) => spec.analyzes === undefined);
  const areRepetitions = tasks.every(({ spec }) => spec.title === tasks[0]?.spec.title);
  if (!areRepetitions) return undefined;
  const task = tasks.findLast((one) => lastAttempt(one)?.ended != null);
  if (task === undefined || task.spec.access !== 'read') return undefined;
  const ended = lastAttempt(task)?.ended;
  return ended == null ? undefined : (ended.output ?? ended.summary);
}
