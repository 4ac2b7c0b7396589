import type { StreamItem } from '../../operations/contracts.ts';
import type { RunOverview } from '../../schema/overview.ts';
import { type ConnectionState, openStream } from './stream.ts';

type RunsItem = StreamItem<'watch-runs'>;

/** All runs as the tab that holds the stream knows them, up to a position. */
export type Whole = { runs: RunOverview[]; position: number; isReady: boolean; standing: ConnectionState };

type Hearing = {
  onItem(item: RunsItem): void;
  onStanding(standing: ConnectionState): void;
  /** All that is known, in place of what was; told to a tab that has just come, and to all when another takes over. */
  onWhole(whole: Whole): void;
  /** What this tab knows now. */
  whole(): Whole;
};

type Said =
  | { type: 'hello' }
  | { type: 'item'; item: RunsItem }
  | { type: 'standing'; standing: ConnectionState }
  | { type: 'whole'; whole: Whole };

const NAME = 'manyhands.runs';

/**
 * Follows all runs with one connection for all tabs of a browser, which allows only six per server. The tab that
 * holds the lock holds the stream and tells the others; when it goes, the next goes on behind the last position.
 */
export function followRuns(hearing: Hearing): void {
  if (navigator.locks === undefined) {
    openStream('watch-runs', {}, hearing);
    return;
  }
  const channel = new BroadcastChannel(NAME);
  const say = (said: Said) => channel.postMessage(said);
  let isHolder = false;
  channel.onmessage = ({ data }: MessageEvent<Said>) => {
    if (isHolder) {
      if (data.type === 'hello') say({ type: 'whole', whole: hearing.whole() });
    } else hear(data, hearing);
  };
  say({ type: 'hello' });
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) say({ type: 'hello' });
  });
  const hold = () => {
    isHolder = true;
    followAlone(hearing, say);
    return new Promise<void>(() => {});
  };
  void navigator.locks.request(NAME, hold);
}

function hear(said: Said, hearing: Hearing): void {
  if (said.type === 'item') hearing.onItem(said.item);
  else if (said.type === 'standing') hearing.onStanding(said.standing);
  else if (said.type === 'whole') hearing.onWhole(said.whole);
}

/** The others get all that is known once the stream has caught up: whatever one of them missed is in it. */
function followAlone(hearing: Hearing, say: (said: Said) => void): void {
  const { position, isReady } = hearing.whole();
  openStream('watch-runs', isReady ? { after: position } : {}, {
    onItem: (item) => {
      hearing.onItem(item);
      if ('ready' in item) say({ type: 'whole', whole: hearing.whole() });
      else say({ type: 'item', item });
    },
    onStanding: (standing) => {
      hearing.onStanding(standing);
      say({ type: 'standing', standing });
    },
  });
}
