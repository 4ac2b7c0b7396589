import type { RunEvent } from '../../../../schema/event.ts';
import type { Verdict } from '../../../../schema/gate.ts';
import type { DisplayState } from '../../../ui/state/display-state.ts';

/** A mark at a point in time on a task's row. */
export type Mark = {
  at: number;
  displayState: DisplayState;
  shape: 'landed' | 'warning' | 'gate' | 'person';
  description: string;
};

/** A period in which the whole run was held or paused. */
export type IdlePeriod = { from: number; to: number | null; description: string };

/** What only the event history contains: when tasks were added, gates ended, the user acted, and a task or the run waited for the user. */
export type TimelineHistory = {
  added: Map<string, number>;
  marks: Map<string, Mark[]>;
  idlePeriods: IdlePeriod[];
  /** The periods in which a task waited for the user; they stay after the answer. */
  waits: Map<string, IdlePeriod[]>;
};

const GATE_DISPLAY_STATES: Record<Verdict, DisplayState> = {
  pass: 'done',
  fail: 'failed',
  held: 'waiting',
  error: 'failed',
  'not-applicable': 'unverified',
};

export function emptyHistory(): TimelineHistory {
  return { added: new Map(), marks: new Map(), idlePeriods: [], waits: new Map() };
}

/** Adds an event; mutates the history in place. */
export function recordEvent(history: TimelineHistory, event: RunEvent, at: number): void {
  recordWait(history, event, at);
  switch (event.type) {
    case 'tasks.added':
      for (const { key } of event.data.specs) history.added.set(key, at);
      return;
    case 'gate.ended': {
      const { gate, verdict, summary } = event.data.evidence;
      const mark: Mark = {
        at,
        displayState: GATE_DISPLAY_STATES[verdict],
        shape: 'gate',
        description: `check ${gate}: ${verdict}: ${summary}`,
      };
      for (const task of event.data.tasks) add(history, task, mark);
      return;
    }
    case 'task.approved':
      add(history, event.data.task, personMark(at, 'approved by the user'));
      return;
    case 'task.rejected':
      add(history, event.data.task, personMark(at, `rejected by the user: ${event.data.reason}`));
      return;
    case 'task.answered':
      add(history, event.data.task, personMark(at, 'answered by the user'));
      return;
    case 'task.messaged':
      add(history, event.data.task, personMark(at, 'message from the user'));
      return;
    case 'run.held':
      history.idlePeriods.push({ from: at, to: null, description: event.data.hold.reason });
      return;
    case 'run.paused':
      if (event.data.track === undefined)
        history.idlePeriods.push({ from: at, to: null, description: event.data.reason });
      return;
    case 'run.unpaused':
      if (event.data.track === undefined) endAll(history.idlePeriods, at);
      return;
    case 'run.approved':
    case 'run.rejected':
    case 'run.ended':
      endAll(history.idlePeriods, at);
      return;
    default:
      return;
  }
}

/** A task waits for the user from a hold, a block or a question to whatever happens to it next. */
function recordWait({ waits }: TimelineHistory, event: RunEvent, at: number): void {
  switch (event.type) {
    case 'task.held':
      begin(waits, event.data.task, { from: at, to: null, description: event.data.hold.reason });
      break;
    case 'task.blocked':
      begin(waits, event.data.task, { from: at, to: null, description: event.data.reason });
      break;
    case 'task.asked':
      begin(waits, event.data.task, { from: at, to: null, description: event.data.question.text });
      break;
    case 'task.approved':
    case 'task.rejected':
    case 'task.answered':
    case 'task.retrying':
    case 'task.requeued':
    case 'task.landing':
    case 'task.ended':
    case 'attempt.started':
    case 'attempt.ended':
      end(waits, event.data.task, at);
      break;
    case 'tasks.landed':
      for (const task of event.data.tasks) end(waits, task, at);
      break;
    default:
  }
}

function begin(waits: TimelineHistory['waits'], task: string, wait: IdlePeriod): void {
  end(waits, task, wait.from);
  waits.set(task, [...(waits.get(task) ?? []), wait]);
}

function end(waits: TimelineHistory['waits'], task: string, at: number): void {
  endAll(waits.get(task) ?? [], at);
}

function endAll(periods: readonly IdlePeriod[], at: number): void {
  for (const period of periods) period.to ??= at;
}

function personMark(at: number, description: string): Mark {
  return { at, displayState: 'waiting', shape: 'person', description };
}

function add({ marks }: TimelineHistory, task: string, mark: Mark): void {
  const known = marks.get(task);
  if (known === undefined) marks.set(task, [mark]);
  else known.push(mark);
}
