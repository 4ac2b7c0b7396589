import { messageText } from '../core/attempt/message.ts';
import { settingsChangeText } from '../core/run/changed-settings.ts';
import type { Origin } from '../schema/actor.ts';
import type { ShownEvent } from '../schema/event.ts';
import { RunEvent } from '../schema/event.ts';

/** A decision that was taken about a run: by whom, about what, and why. */
export type TrailStep = {
  at: number;
  by: string;
  origin?: Origin;
  about: string;
  decision: string;
  reason: string;
};

/** The decisions of a run in their order: holds and their answers, retries, rejections, what landed and what was undone. */
export function decisionTrail(events: readonly ShownEvent[]): TrailStep[] {
  return events.flatMap(({ at, type, data, origin }) => {
    const event = RunEvent.safeParse({ type, data });
    const by = origin === undefined ? {} : { by: originText(origin), origin };
    return event.success ? stepsOf(event.data).map((step) => ({ at, ...step, ...by })) : [];
  });
}

/** Who acted, and through which entry point. */
function originText({ actor, via }: Origin): string {
  switch (actor.kind) {
    case 'person':
      return `${actor.name} (${via})`;
    case 'assistant':
      return `the assistant ${actor.name} of ${actor.person} (${via})`;
    case 'agent':
      return `the agent of ${actor.attempt} (${via})`;
    case 'engine':
      return 'Manyhands';
  }
}

/** Tasks that are added for a reason are decisions of the recipe: another round, a condition that holds. */
function stepsOf(event: RunEvent): Omit<TrailStep, 'at'>[] {
  if (event.type === 'tasks.added')
    return event.data.specs.flatMap(({ key, because }) =>
      because === undefined ? [] : [engine(key, 'started a round', because)],
    );
  return [stepOf(event) ?? []].flat();
}

function stepOf(event: RunEvent): Omit<TrailStep, 'at'> | undefined {
  switch (event.type) {
    case 'run.held':
      return engine('run', `held (${event.data.hold.what})`, event.data.hold.reason);
    case 'task.held':
      return engine(event.data.task, `held (${event.data.hold.what})`, event.data.hold.reason);
    case 'run.rejected':
      return person('run', 'rejected', event.data.reason);
    case 'task.rejected':
      return person(event.data.task, 'rejected', event.data.reason);
    case 'run.approved':
      return person('run', 'approved', event.data.note);
    case 'task.approved':
      return person(event.data.task, 'approved', event.data.note);
    case 'run.limited':
      return person('run', 'limited', `at most ${event.data.agents} attempts at once`);
    case 'run.settings-changed':
      return person(event.data.task ?? 'run', 'settings changed', settingsChangeText(event.data));
    case 'run.call-refused':
      return engine('run', 'call refused', `an agent called ${event.data.operation}`);
    case 'run.cancelling':
      return person('run', 'cancelled', event.data.reason);
    case 'run.wrapping-up':
      return person('run', 'wrapped up', event.data.reason);
    case 'run.reopened':
      return person('run', 'reopened', `${event.data.reason}: ${event.data.tasks.join(', ')}`);
    case 'tasks.invalidated':
      return person(
        event.data.tasks[0] ?? 'run',
        'invalidated',
        `${event.data.reason}: ${event.data.tasks.join(', ')}`,
      );
    case 'task.messaged':
      return person(event.data.task, 'message', messageText(event.data));
    case 'task.requeued':
      return person(event.data.task, 'put back in line', event.data.reason);
    case 'run.undone':
      return person('run', 'undone', event.data.reason);
    case 'run.branch-removed':
      return person('run', 'branch deleted', `${event.data.branch} is kept as ${event.data.ref}`);
    case 'run.rewound':
      return engine('run', 'went back', event.data.reason);
    case 'run.landed':
      return engine(
        'run',
        `landed (${event.data.how})`,
        `on ${event.data.branch} at ${event.data.commit.slice(0, 10)}`,
      );
    case 'run.ended':
      return engine('run', event.data.status, event.data.reason);
    case 'attempt.started':
      return engine(event.data.task, `attempt ${event.data.attempt} by ${event.data.agent}`, event.data.because);
    case 'task.retrying':
      return engine(event.data.task, 'tried again', event.data.evidence);
    case 'task.conflicted':
      return engine(event.data.task, `conflict, ${event.data.resolver} settles it`, event.data.files.join(', '));
    case 'task.blocked':
      return engine(event.data.task, 'blocked', `${event.data.reason}; next: ${event.data.nextStep}`);
    case 'task.ended':
      return engine(event.data.task, event.data.status, event.data.reason);
    default:
      return undefined;
  }
}

function engine(about: string, decision: string, reason: string): Omit<TrailStep, 'at'> {
  return { by: 'Manyhands', about, decision, reason };
}

function person(about: string, decision: string, reason: string | undefined): Omit<TrailStep, 'at'> {
  return { by: 'a person', about, decision, reason: reason ?? 'no reason was given' };
}
