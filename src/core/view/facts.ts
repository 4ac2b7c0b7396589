import type { Hold, RunEvent, RunEventOf } from '../../schema/event.ts';
import type { Evidence } from '../../schema/gate.ts';
import type { TaskKey } from '../../schema/ids.ts';
import { settingsChangeText } from '../run/changed-settings.ts';
import type { RunState } from '../run/state.ts';
import { withLocalTimes } from './amounts.ts';
import { holdStep, otherAnswers, taskHoldStep } from './attention.ts';
import { checkOutputLines, isFailed } from './failed-check.ts';
import { labelOf } from './task-label.ts';

/** A fact of an event, with the same text at every entry point: its subject (a task, a small call or `run`) and the fact. */
export type Fact = {
  about: string;
  fact: string;
  /** The command, the end and the last output lines of a check that did not pass. */
  details?: string[];
  /** The key of the task that it is about, where it is one. */
  task?: TaskKey;
};

/** How an entry point formats amounts. */
export type AmountFormat = { duration(ms: number): string; money(usd: number): string };

/** The facts of an event; none for an event that is not shown to users. */
export function factsOf(state: RunState, recorded: { event: RunEvent; at: number }, format: AmountFormat): Fact[] {
  return factsByKey(state, recorded, format).map((fact) => ({
    ...fact,
    about: labelOf(state, fact.about),
    ...(state.tasks[fact.about] === undefined ? {} : { task: fact.about }),
  }));
}

function factsByKey(state: RunState, { event, at }: { event: RunEvent; at: number }, format: AmountFormat): Fact[] {
  const run = (fact: string): Fact[] => [{ about: 'run', fact }];
  const labels = (keys: readonly TaskKey[]) => keys.map((key) => labelOf(state, key)).join(', ');
  switch (event.type) {
    case 'run.started': {
      const { run: id, recipe, title, base } = event.data;
      return run(`started ${id} (${recipe.name}) on ${base.branch ?? 'a commit'} at ${short(base.commit)}: ${title}`);
    }
    case 'run.base-check-failed':
      return [baseFact(event.data.evidence, format)];
    case 'run.base-checked':
      return event.data.evidence.map((evidence) => {
        const fact = baseFact(evidence, format);
        return isShownOnBase(state, evidence) ? { about: fact.about, fact: fact.fact } : fact;
      });
    case 'run.held':
      return run(
        `needs you: ${event.data.hold.reason}; next: ${holdStep(state, event.data.hold)}${answers(state, null, event.data.hold)}`,
      );
    case 'run.approved':
      return run('approved');
    case 'run.wrapping-up':
      return run(`ends with what has landed: ${event.data.reason}`);
    case 'run.rejected':
      return run(`rejected: ${event.data.reason}`);
    case 'tasks.cancelled':
      return event.data.tasks.map((task) => ({ about: task, fact: `cancelled: ${event.data.reason}` }));
    case 'tasks.edited':
      return event.data.changes.map(({ task, ...changes }) => ({
        about: task,
        fact: `edited: ${Object.keys(changes).join(', ')}`,
      }));
    case 'tasks.reordered':
      return run(`tasks reordered: ${labels(event.data.tasks)}`);
    case 'task.prioritized':
      return [{ about: event.data.task, fact: `has priority ${event.data.priority} now` }];
    case 'run.titled':
      return run(`title: ${event.data.title}`);
    case 'run.call-refused':
      return run(`refused a call of ${event.data.operation} by an agent`);
    case 'subrun.started':
      return [{ about: event.data.task, fact: `started sub-run ${event.data.run}: ${event.data.title}` }];
    case 'subrun.changed':
      return run(
        event.data.waitsFor === null
          ? `sub-run ${event.data.run} continues`
          : `sub-run ${event.data.run} waits: ${event.data.waitsFor}; next: manyhands show ${event.data.run}`,
      );
    case 'subrun.ended':
      return run(`sub-run ${event.data.run} is ${event.data.status}: ${event.data.reason}`);
    case 'call.started':
      return [];
    case 'call.ended':
      return [{ about: event.data.call, fact: callFact(event, format) }];
    case 'run.paused':
      return run(`${trackOf(event.data.track)} paused: ${event.data.reason}`);
    case 'run.unpaused':
      return run(`${trackOf(event.data.track)} resumed`);
    case 'tasks.invalidated':
      return run(`will run again: ${labels(event.data.tasks)} (${event.data.reason})`);
    case 'task.proposed':
      return [
        { about: event.data.task, fact: `${event.data.verifier} verifies ${short(event.data.candidate.commit)}` },
      ];
    case 'task.verified':
      return [{ about: event.data.task, fact: event.data.passed ? 'verified' : `not verified: ${event.data.report}` }];
    case 'run.limited':
      return run(`limit changed: at most ${event.data.agents} attempts in parallel`);
    case 'run.settings-changed':
      return [{ about: event.data.task ?? 'run', fact: `settings changed: ${settingsChangeText(event.data)}` }];
    case 'run.cancelling':
      return run(`cancelling: ${event.data.reason}`);
    case 'run.branch-pushed':
      return run(`branch ${event.data.branch} is at ${short(event.data.commit)}`);
    case 'run.landed':
      return run(
        `landed (${event.data.how}) on ${event.data.branch} at ${short(event.data.commit)} ${event.data.url ?? ''}`,
      );
    case 'run.undone':
      return run(`undone on ${event.data.branch} by ${short(event.data.commit)}: ${event.data.reason}`);
    case 'run.branch-removed':
      return run(`branch ${event.data.branch} deleted; ${short(event.data.commit)} is kept as ${event.data.ref}`);
    case 'run.caught-up':
      return run(`continues from ${short(event.data.commit)}: the base moved to ${short(event.data.base)}`);
    case 'run.rewound':
      return run(`reset to ${short(event.data.commit)}: ${event.data.reason}`);
    case 'run.reopened':
      return run(`reopened: ${event.data.reason}`);
    case 'run.ended':
      return run(`${event.data.status}: ${event.data.reason}; ${format.money(event.data.spend.costUsd)}`);
    case 'tasks.added':
      return event.data.specs.map(({ key, title, needs }) => ({
        about: key,
        fact: `added: ${title}${needs.length > 0 ? ` (after ${labels(needs)})` : ''}`,
      }));
    case 'check.started':
      return [];
    case 'gate.ended':
      return gateFacts(state, event, format);
    case 'tasks.landed':
      return [{ about: labels(event.data.tasks), fact: `landed at ${short(event.data.commit)}` }];
    case 'attempt.started':
    case 'attempt.spawned':
    case 'attempt.warned':
    case 'attempt.used':
    case 'attempt.warning-dismissed':
    case 'attempt.ended':
    case 'task.messaged':
    case 'task.asked':
    case 'task.answered':
    case 'task.answer-delivered':
    case 'task.requeued':
    case 'task.retrying':
    case 'task.landing':
    case 'task.conflicted':
    case 'task.held':
    case 'task.approved':
    case 'task.rejected':
    case 'task.blocked':
    case 'task.ended': {
      const fact = taskFact(state, { event, at }, format);
      return fact === undefined ? [] : [{ about: event.data.task, fact }];
    }
  }
}

type TaskEvent = Extract<RunEvent, { data: { task: string } }>;

function taskFact(
  state: RunState,
  { event, at }: { event: TaskEvent; at: number },
  format: AmountFormat,
): string | undefined {
  switch (event.type) {
    case 'attempt.started':
      return `attempt ${event.data.attempt} by ${event.data.agent}: ${withLocalTimes(event.data.because, at)}`;
    case 'attempt.warned':
      return `warning: ${event.data.message}`;
    case 'attempt.warning-dismissed':
      return `warning dismissed: ${event.data.sign}`;
    case 'attempt.spawned':
    case 'attempt.used':
    case 'task.answer-delivered':
      return undefined;
    case 'task.messaged':
      return `message from the user: ${[event.data.message, ...event.data.comments.map(({ text }) => text)].join(' ').trim()}`;
    case 'task.asked':
      return `asks: ${event.data.question.text}; next: manyhands answer ${state.start.run} ${event.data.question.id} "<answer>"`;
    case 'task.answered':
      return `answered${event.data.byDefault === true ? ' by its default' : ''}: ${event.data.answer}`;
    case 'task.requeued':
      return `requeued: ${event.data.reason}`;
    case 'attempt.ended':
      return attemptEndFact(state, { event, at }, format);
    case 'task.retrying': {
      const wait = event.data.at > at ? ` in ${format.duration(event.data.at - at)}` : '';
      const how = event.data.analysis === undefined ? '' : ` after ${event.data.analysis}`;
      return `will be retried${wait}${how}${event.data.counted ? '' : ' (not counted)'}`;
    }
    case 'task.landing':
      return `landing ${short(event.data.commit)}`;
    case 'task.conflicted':
      return `conflict in ${event.data.files.join(', ') || 'the merge'}: ${event.data.resolver} resolves it`;
    case 'task.held':
      return `needs you: ${event.data.hold.reason}; next: ${taskHoldStep(state, event.data.task, event.data.hold)}${answers(state, event.data.task, event.data.hold)}`;
    case 'task.approved':
      return 'approved';
    case 'task.rejected':
      return `rejected: ${event.data.reason}`;
    case 'task.blocked':
      return `needs you: ${event.data.reason}; next: ${event.data.nextStep}`;
    case 'task.ended':
      return `${event.data.status}: ${event.data.reason}`;
  }
}

function attemptEndFact(
  state: RunState,
  { event, at }: { event: RunEventOf<'attempt.ended'>; at: number },
  format: AmountFormat,
): string {
  const { task, attempt, failure, usage, summary } = event.data;
  const startedAt = state.tasks[task]?.attempts[attempt - 1]?.startedAt ?? at;
  const known = usage.kind === 'known' ? `, ${format.money(usage.costUsd)}` : '';
  const cost = usage.kind === 'unknown' ? ', usage unknown' : known;
  const success = summary === '' ? 'ended' : `ended: ${summary}`;
  const outcome = failure === undefined ? success : `failed: ${failure.kind}: ${failure.message}`;
  return `attempt ${attempt} (${format.duration(at - startedAt)}${cost}) ${outcome}`;
}

function callFact({ data: { by, tries } }: RunEventOf<'call.ended'>, format: AmountFormat): string {
  const cost = tries.reduce((sum, { usage }) => sum + (usage.kind === 'known' ? usage.costUsd : 0), 0);
  const problems = tries.flatMap(({ by: provider, problem }) =>
    problem === undefined ? [] : [`${provider}: ${problem}`],
  );
  const answered = by === undefined ? 'answered by rules' : `answered by ${by}`;
  return [`${answered} (${format.money(cost)})`, ...problems].join('; ');
}

/** One fact for all tasks of a candidate; a check without tasks is one on the landing. */
function gateFacts(
  state: RunState,
  { data: { tasks, evidence } }: RunEventOf<'gate.ended'>,
  format: AmountFormat,
): Fact[] {
  const fact = gateFact(evidence, format);
  const [first, ...more] = tasks;
  if (first === undefined)
    return isFailed(evidence) ? [{ about: 'run', fact: `landing: ${fact}`, ...detailsOf(evidence, format) }] : [];
  const about = more.length === 0 ? first : `${labelOf(state, first)} and ${more.length} more`;
  return [{ about, fact, ...detailsOf(evidence, format) }];
}

function baseFact(evidence: Evidence, format: AmountFormat): Fact {
  const again = isFailed(evidence) && evidence.reruns !== undefined ? ', also when repeated' : '';
  const summary = evidence.verdict === 'pass' ? '' : `: ${evidence.summary}`;
  const fact = `check on the base: ${evidence.gate}: ${evidence.verdict}${again}${summary}`;
  return { about: 'run', fact, ...detailsOf(evidence, format) };
}

/** Whether the output of this failure was shown when the check failed for the first time. */
function isShownOnBase({ baseFailures = [] }: RunState, { outputFile, command, summary }: Evidence): boolean {
  return baseFailures.some(
    (shown) => shown.outputFile === outputFile && shown.command === command && shown.summary === summary,
  );
}

function detailsOf(evidence: Evidence, format: AmountFormat): { details?: string[] } {
  return isFailed(evidence) ? { details: checkOutputLines(evidence, format) } : {};
}

function gateFact(evidence: Evidence, format: AmountFormat): string {
  const { gate, verdict, durationMs, reused, summary } = evidence;
  return `check ${gate}: ${verdict} (${reused ? 'reused' : format.duration(durationMs)})${verdict === 'pass' ? '' : `: ${summary}`}`;
}

function answers(state: RunState, task: TaskKey | null, hold: Hold): string {
  return otherAnswers(state, task, hold)
    .map(({ command, purpose }) => `; or ${purpose}: ${command}`)
    .join('');
}

function short(commit: string): string {
  return commit.slice(0, 8);
}

function trackOf(track: string | undefined): string {
  return track === undefined ? 'the run' : `track ${track}`;
}
