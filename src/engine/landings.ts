import { AppError } from '../errors.ts';
import type { LandedCommit } from '../git/undo.ts';
import type { StoredEvent } from '../store/store.ts';
import { parseEvent } from './ledger.ts';

/** What a run brought to a branch, oldest first. */
export type Landings = { branch: string; commits: LandedCommit[] };

/** The landings of a run that were not taken back; none is undefined. Only merges into a branch can be undone from here. */
export function landingsOf(events: readonly StoredEvent[]): Landings | undefined {
  let tip = '';
  let found: Landings | undefined;
  for (const stored of events) {
    if (!RELEVANT.has(stored.type)) continue;
    const event = parseEvent(stored);
    if (event.type === 'tasks.landed' || event.type === 'run.rewound') tip = event.data.commit;
    if (event.type === 'run.undone') found = undefined;
    if (event.type !== 'run.landed') continue;
    const { branch, commit, how, url } = event.data;
    if (how !== 'merge')
      throw new AppError('REFUSED', `The run landed by ${how}; take it back there: ${url ?? branch}`, { how, url });
    if (found?.commits.at(-1)?.commit === commit) continue;
    const landing = { commit, tip: event.data.tip ?? tip, from: event.data.from };
    found = { branch, commits: [...(found?.branch === branch ? found.commits : []), landing] };
  }
  return found;
}

const RELEVANT = new Set(['tasks.landed', 'run.rewound', 'run.undone', 'run.landed']);
