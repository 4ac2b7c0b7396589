import type { StreamInput, StreamItem, StreamName } from '../../schema/operation.ts';
import { after } from '../look/clock.ts';
import { requestFor } from './address.ts';

/** `live`: items come as they happen; `lost`: it is being tried again; `ended`: there will be no more. */
export type StreamStanding = 'connecting' | 'live' | 'lost' | 'ended';

type Hearing<N extends StreamName> = {
  onItem(item: StreamItem<N>): void;
  onStanding?(standing: StreamStanding): void;
};

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;

/** Follows a stream until it ends or is closed; after a break it goes on behind the last item it got. */
export function openStream<N extends StreamName>(name: N, input: StreamInput<N>, hearing: Hearing<N>): () => void {
  let source: EventSource | undefined;
  let last: string | undefined;
  let pause = FIRST_PAUSE_MS;
  let callOff = () => {};
  let isOver = false;

  const tell = (standing: StreamStanding) => hearing.onStanding?.(standing);
  const close = () => {
    isOver = true;
    callOff();
    source?.close();
  };
  const connect = () => {
    const { url } = requestFor(name, last === undefined ? input : { ...input, after: last });
    source = new EventSource(url);
    source.onopen = () => {
      pause = FIRST_PAUSE_MS;
      tell('live');
    };
    source.onmessage = ({ data, lastEventId }: MessageEvent<string>) => {
      if (lastEventId !== '') last = lastEventId;
      hearing.onItem(JSON.parse(data));
    };
    source.addEventListener('end', () => {
      close();
      tell('ended');
    });
    source.onerror = () => {
      source?.close();
      if (isOver) return;
      tell('lost');
      callOff = after(pause, connect);
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    };
  };
  tell('connecting');
  connect();
  return close;
}
