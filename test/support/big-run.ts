import type { RunEvent } from '../../src/schema/event.ts';
import { runStream } from '../../src/schema/ids.ts';
import type { Store } from '../../src/store/store.ts';
import { added, attemptEnded, attempted, failure, spec, started, taskEnded, used } from './given.ts';

type BigRun = { run: string; tasks: number; root: string; tracks?: readonly string[]; project?: string };
type TimedEvents = { at: number; events: RunEvent[] };

const AT_ONCE = 20;
const STEP_MS = 1_500;

/** The history of a large ended run: chains of five tasks, side by side; every 50th attempt fails and is tried again, every 211th task fails. */
export function bigRunHistory(
  { run, tasks, root, tracks = [], project = 'big' }: BigRun,
  startedAt: number,
): TimedEvents[] {
  const specs = Array.from({ length: tasks }, (_, index) => {
    const track = tracks[Math.floor(index / 5) % Math.max(tracks.length, 1)];
    return spec(`${index % 5 === 4 ? 'review' : 'implement'}/${index}`, {
      title: `Task ${index} of the migration`,
      ...(index % 5 === 0 ? {} : { needs: [`implement/${index - 1}`] }),
      ...(track === undefined ? {} : { track }),
    });
  });
  const timeline: TimedEvents[] = [
    {
      at: startedAt,
      events: [started({ run, title: `A run of ${tasks} tasks`, project: { id: project, root } }), added(...specs)],
    },
  ];
  let at = startedAt;
  for (let first = 0; first < tasks; first += AT_ONCE) {
    const keys = specs.slice(first, first + AT_ONCE).map(({ key }) => key);
    timeline.push({ at: at + 200, events: keys.map((key) => attempted(key)) });
    at += STEP_MS;
    timeline.push({ at, events: keys.flatMap((key, index) => endOf(key, first + index)) });
  }
  timeline.push({
    at: at + 500,
    events: [
      {
        type: 'run.ended',
        data: { status: 'failed', reason: 'some tasks failed', spend: { costUsd: 1, tokens: 0, turns: 0 } },
      },
    ],
  });
  return timeline;
}

/** Stores a history as the engine would have. */
export async function storeHistory(store: Store, run: string, history: readonly TimedEvents[]): Promise<void> {
  let expected = 0;
  for (const { at, events } of history) {
    await store.append([{ stream: runStream(run), expected, events }], at);
    expected += events.length;
  }
}

function endOf(key: string, index: number): RunEvent[] {
  const usage = used(0.001 * (index % 7));
  if (index % 211 === 0 && index > 0) {
    return [
      attemptEnded(key, 1, { usage, failure: failure('tests', 'one test of nine fails') }),
      taskEnded(key, 'failed', failure('tests', 'one test of nine fails')),
    ];
  }
  if (index % 50 !== 49) return [attemptEnded(key, 1, { usage }), taskEnded(key, 'done')];
  return [
    attemptEnded(key, 1, { usage, failure: failure('rate-limit', 'too many requests') }),
    { type: 'task.retrying', data: { task: key, at: 0, counted: false, resume: false, evidence: '' } },
    attempted(key, 2, { agent: 'two' }),
    attemptEnded(key, 2, { usage }),
    taskEnded(key, 'done'),
  ];
}
