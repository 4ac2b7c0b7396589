import { describe, expect, it } from 'vitest';
import { foldNotification, noNotification, type RunCard, runCard } from '../../../src/core/view/overview.ts';
import { messagesOf } from '../../../src/notify/messages.ts';
import type { RunEvent } from '../../../src/schema/event.ts';
import type { RunOverview } from '../../../src/schema/overview.ts';
import { added, attempted, given, spec, started, T0 } from '../../support/given.ts';

const BEFORE: RunEvent[] = [added(spec('a'), spec('b')), attempted('a'), attempted('b')];
const ASKED: RunEvent = {
  type: 'task.asked',
  data: { task: 'a', attempt: 1, call: 'c1', question: { id: 'q1-1', text: 'Which colour?' } },
};
const SUB_RUN: RunEvent[] = [
  {
    type: 'subrun.started',
    data: { run: 's0000001', task: 'a', attempt: 1, call: 'c1', title: 'Part', prompt: 'Do it' },
  },
  { type: 'subrun.changed', data: { run: 's0000001', waitsFor: 'a plan to approve' } },
];
const LATER: RunEvent = { type: 'task.prioritized', data: { task: 'b', priority: 3 } };

describe('since when something waits', () => {
  it('is the time of a question, also after later events of its run, so that it gives one message', () => {
    const [first, later] = [cardAfter(ASKED), cardAfter(ASKED, LATER)];
    expect(later.updatedAt).not.toBe(first.updatedAt);
    expect(first.attention).toMatchObject([{ what: 'question', question: 'q1-1', since: first.updatedAt }]);
    expect(later.attention).toEqual(first.attention);
    expect(keysOf(later)).toEqual(keysOf(first));
    expect(keysOf(first)).toHaveLength(1);
  });

  it('makes a run unread with a question', () => {
    expect(cardAfter(ASKED).notification.version).toBe(BEFORE.length + 2);
  });

  it('is the time from which a sub-run waits, whose own message is enough', () => {
    const [waiting, later] = [cardAfter(...SUB_RUN), cardAfter(...SUB_RUN, LATER)];
    expect(later.attention).toMatchObject([{ subRun: 's0000001', since: waiting.updatedAt }]);
    expect(keysOf(later)).toEqual([]);
  });
});

function keysOf(card: RunCard): string[] {
  // Messages need nothing else of an overview.
  return messagesOf({ ...card, hidden: false } as unknown as RunOverview).map(({ key }) => key);
}

/** The card after these events, each a second after the one before. */
function cardAfter(...more: RunEvent[]): RunCard {
  const events = [started(), ...BEFORE, ...more];
  const notification = noNotification();
  let story = given(started());
  for (const [index, event] of events.entries()) {
    const at = T0 + index * 1_000;
    if (index > 0) story = story.at(at).and(event);
    foldNotification(notification, { version: index + 1, position: index + 1, at, type: event.type, data: event.data });
  }
  return runCard(story.state, notification);
}
