import type { RunEvent } from '../../../../schema/event.ts';
import type { Verdict } from '../../../../schema/gate.ts';
import type { Look } from '../../../ui/state/display-state.ts';

/** A moment on a task's row. */
export type Mark = { at: number; look: Look; shape: 'landed' | 'warning' | 'gate' | 'person'; words: string };

/** A time in which the whole run stood still. */
export type Stand = { from: number; to: number | null; words: string };

/** What only the history of a run tells: when tasks were added, when checks ended, when people acted, when it stood still. */
export type Moments = { added: Map<string, number>; marks: Map<string, Mark[]>; stands: Stand[] };

const GATE_LOOKS: Record<Verdict, Look> = { pass: 'done', fail: 'failed', held: 'waiting', error: 'failed' };

export function noMoments(): Moments {
  return { added: new Map(), marks: new Map(), stands: [] };
}

/** Takes note of an event; changes the moments in place. */
export function noteMoment(moments: Moments, event: RunEvent, at: number): void {
  switch (event.type) {
    case 'tasks.added':
      for (const { key } of event.data.specs) moments.added.set(key, at);
      return;
    case 'gate.ended': {
      const { gate, verdict, summary } = event.data.evidence;
      const mark: Mark = {
        at,
        look: GATE_LOOKS[verdict],
        shape: 'gate',
        words: `check ${gate}: ${verdict}: ${summary}`,
      };
      for (const task of event.data.tasks) add(moments, task, mark);
      return;
    }
    case 'task.approved':
      add(moments, event.data.task, { at, look: 'waiting', shape: 'person', words: 'approved by a person' });
      return;
    case 'task.messaged':
      add(moments, event.data.task, { at, look: 'waiting', shape: 'person', words: 'a person wrote to it' });
      return;
    case 'run.held':
      moments.stands.push({ from: at, to: null, words: event.data.hold.reason });
      return;
    case 'run.paused':
      if (event.data.track === undefined) moments.stands.push({ from: at, to: null, words: event.data.reason });
      return;
    case 'run.approved':
    case 'run.unpaused':
    case 'run.ended':
      for (const stand of moments.stands) stand.to ??= at;
      return;
    default:
      return;
  }
}

function add({ marks }: Moments, task: string, mark: Mark): void {
  const known = marks.get(task);
  if (known === undefined) marks.set(task, [mark]);
  else known.push(mark);
}
