import type { RunState } from '../core/state.ts';
import type { RunEvent, RunEventOf } from '../schema/event.ts';
import { durationText, moneyText } from './amounts.ts';
import { oneLine } from './clean-text.ts';

/** What happened, as plain lines: `time  subject  fact`. One per fact, the same words every time, made for grep. */
export function factLines(state: RunState, { event, at }: { event: RunEvent; at: number }): string[] {
  return facts(state, event, at).map(({ about, fact }) => `${timeText(at)}  ${about}  ${oneLine(fact)}`);
}

/** The time of day. */
export function timeText(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}

type Fact = { about: string; fact: string };

function facts(state: RunState, event: RunEvent, at: number): Fact[] {
  const run = (fact: string): Fact[] => [{ about: 'run', fact }];
  switch (event.type) {
    case 'run.started': {
      const { run: id, recipe, title, base } = event.data;
      return run(`started ${id} (${recipe.name}) on ${base.branch ?? 'a commit'} at ${short(base.commit)}: ${title}`);
    }
    case 'run.base-checked':
      return event.data.evidence.flatMap(({ gate, verdict, summary }) =>
        run(`check on the base: ${gate}: ${verdict}: ${summary}`),
      );
    case 'run.held':
      return run(`needs you: ${event.data.hold.reason}; next: manyhands approve ${state.start.run}`);
    case 'run.approved':
      return run('approved');
    case 'run.titled':
      return run(`is called: ${event.data.title}`);
    case 'call.started':
      return [];
    case 'call.ended':
      return [{ about: event.data.call, fact: callFact(event) }];
    case 'run.paused':
      return run(`${trackOf(event.data.track)} paused: ${event.data.reason}`);
    case 'run.unpaused':
      return run(`${trackOf(event.data.track)} goes on`);
    case 'tasks.invalidated':
      return run(`to be done again: ${event.data.tasks.join(', ')} (${event.data.reason})`);
    case 'task.proposed':
      return [
        { about: event.data.task, fact: `${event.data.verifier} verifies it on ${short(event.data.candidate.commit)}` },
      ];
    case 'task.verified':
      return [{ about: event.data.task, fact: event.data.passed ? 'verified' : `not verified: ${event.data.report}` }];
    case 'run.limited':
      return run(`at most ${event.data.agents} attempts at once from now on`);
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
      return run(`goes on from ${short(event.data.commit)}: the base is at ${short(event.data.base)} now`);
    case 'run.rewound':
      return run(`went back to ${short(event.data.commit)}: ${event.data.reason}`);
    case 'run.reopened':
      return run(`goes on: ${event.data.reason}`);
    case 'run.ended':
      return run(`${event.data.status}: ${event.data.reason}; ${moneyText(event.data.spend.costUsd)}`);
    case 'tasks.added':
      return event.data.specs.map(({ key, title, needs }) => ({
        about: key,
        fact: `added: ${title}${needs.length > 0 ? ` (after ${needs.join(', ')})` : ''}`,
      }));
    case 'gate.ended':
      return event.data.tasks.map((about) => ({ about, fact: gateFact(event) }));
    case 'tasks.landed':
      return event.data.tasks.map((about) => ({ about, fact: `landed at ${short(event.data.commit)}` }));
    case 'attempt.started':
    case 'attempt.spawned':
    case 'attempt.warned':
    case 'attempt.used':
    case 'attempt.ended':
    case 'task.retrying':
    case 'task.landing':
    case 'task.conflicted':
    case 'task.held':
    case 'task.approved':
    case 'task.blocked':
    case 'task.ended': {
      const fact = taskFact(state, event, at);
      return fact === undefined ? [] : [{ about: event.data.task, fact }];
    }
  }
}

type TaskEvent = Extract<RunEvent, { data: { task: string } }>;

function taskFact(state: RunState, event: TaskEvent, at: number): string | undefined {
  switch (event.type) {
    case 'attempt.started':
      return `attempt ${event.data.attempt} by ${event.data.agent}: ${event.data.because}`;
    case 'attempt.warned':
      return `warning: ${event.data.message}`;
    case 'attempt.spawned':
    case 'attempt.used':
      return undefined;
    case 'attempt.ended':
      return attemptEndFact(state, event, at);
    case 'task.retrying': {
      const wait = event.data.at > at ? ` in ${durationText(event.data.at - at)}` : '';
      const how = event.data.analysis === undefined ? '' : ` after ${event.data.analysis}`;
      return `will be tried again${wait}${how}${event.data.counted ? '' : ' (does not count)'}`;
    }
    case 'task.landing':
      return `landing ${short(event.data.commit)}`;
    case 'task.conflicted':
      return `conflict in ${event.data.files.join(', ') || 'the merge'}: ${event.data.resolver} settles it`;
    case 'task.held':
      return `needs you: ${event.data.hold.reason}; next: manyhands approve ${state.start.run} ${event.data.task}`;
    case 'task.approved':
      return 'approved';
    case 'task.blocked':
      return `needs you: ${event.data.reason}; next: ${event.data.nextStep}`;
    case 'task.ended':
      return `${event.data.status}: ${event.data.reason}`;
  }
}

function attemptEndFact(state: RunState, event: RunEventOf<'attempt.ended'>, at: number): string {
  const { task, attempt, failure, usage, summary } = event.data;
  const startedAt = state.tasks[task]?.attempts[attempt - 1]?.startedAt ?? at;
  const cost = usage.kind === 'known' ? `, ${moneyText(usage.costUsd)}` : '';
  const outcome = failure === undefined ? `ended: ${summary}` : `failed: ${failure.kind}: ${failure.message}`;
  return `attempt ${attempt} (${durationText(at - startedAt)}${cost}) ${outcome}`;
}

function callFact({ data: { by, tries } }: RunEventOf<'call.ended'>): string {
  const cost = tries.reduce((sum, { usage }) => sum + (usage.kind === 'known' ? usage.costUsd : 0), 0);
  const problems = tries.flatMap(({ by: asked, problem }) => (problem === undefined ? [] : [`${asked}: ${problem}`]));
  const answered = by === undefined ? 'answered by rules' : `answered by ${by}`;
  return [`${answered} (${moneyText(cost)})`, ...problems].join('; ');
}

function gateFact({ data: { evidence } }: RunEventOf<'gate.ended'>): string {
  const { gate, verdict, durationMs, reused, summary } = evidence;
  return `check ${gate}: ${verdict} (${reused ? 'already proven' : durationText(durationMs)})${verdict === 'pass' ? '' : `: ${summary}`}`;
}

function short(commit: string): string {
  return commit.slice(0, 8);
}

function trackOf(track: string | undefined): string {
  return track === undefined ? 'the run' : `track ${track}`;
}
