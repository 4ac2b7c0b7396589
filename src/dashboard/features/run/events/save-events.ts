import type { RunState } from '../../../../core/run/state.ts';
import type { StreamItem } from '../../../../operations/all.ts';
import { ServerUnreachableError } from '../../../api/api-error.ts';
import { openStream } from '../../../api/stream.ts';
import { saveText } from '../../../ui/browser/save-text.ts';

/** Saves the history of a run up to now, as the events are stored; fails if the server is away. */
export async function saveEvents({ start: { run }, version }: RunState): Promise<void> {
  const events: StreamItem<'watch-run'>[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const close = openStream(
    'watch-run',
    { run, after: 0 },
    {
      onItem: (item) => {
        events.push(item);
        if (item.version >= version) resolve();
      },
      onConnectionState: (connectionState) => {
        if (connectionState === 'lost') reject(new ServerUnreachableError());
      },
    },
  );
  try {
    await promise;
  } finally {
    close();
  }
  saveText(`manyhands-${run}.json`, JSON.stringify(events, null, 2), 'application/json');
}
