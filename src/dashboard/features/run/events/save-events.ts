import type { RunState } from '../../../../core/run/state.ts';
import type { StreamItem } from '../../../../operations/all.ts';
import { openStream } from '../../../api/stream.ts';
import { saveText } from '../../../ui/browser/save-text.ts';

/** Saves the history of a run up to now, as the events are stored. */
export function saveEvents({ start: { run }, version }: RunState): void {
  const events: StreamItem<'watch-run'>[] = [];
  const close = openStream(
    'watch-run',
    { run, after: 0 },
    {
      onItem: (item) => {
        events.push(item);
        if (item.version < version) return;
        close();
        saveText(`manyhands-${run}.json`, JSON.stringify(events, null, 2), 'application/json');
      },
    },
  );
}
