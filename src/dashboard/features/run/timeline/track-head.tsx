import type { ReactElement } from 'react';
import type { RunState } from '../../../../core/run/state.ts';
import { useAction } from '../../../api/use-operation.ts';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import styles from './timeline.module.css';
import type { TimelineRow } from './timeline-rows.ts';

type TrackHeadProps = { state: RunState; row: Extract<TimelineRow, { kind: 'track' }>; onFold(): void };

/** The head of a lane: a track, how far it is, and the way to pause it or let it go on. */
export function TrackHead({ state, row: { track, tasks, done, isFolded }, onFold }: TrackHeadProps): ReactElement {
  const run = state.start.run;
  const pause = useAction('pause-run');
  const resume = useAction('resume-runs');
  const reason = state.paused[track];
  const isOver = state.status.kind === 'ended' || done === tasks;
  return (
    <div className={styles.track}>
      <button type="button" className={styles.fold} aria-expanded={!isFolded} onClick={onFold}>
        <Icon name="chevron" size={12} />
        <strong>{track === '' ? 'No track' : track}</strong>
      </button>
      <span className="quiet numbers">
        {done} / {tasks}
      </span>
      {reason === undefined ? null : <span className={styles.paused}>Paused: {reason}</span>}
      {isOver || track === '' ? null : reason === undefined ? (
        <Button weight="quiet" busy={pause.isBusy} onClick={() => pause.act({ run, track })}>
          <Icon name="pause" size={12} /> Pause<span className="hidden-words"> track {track}</span>
        </Button>
      ) : (
        <Button weight="quiet" busy={resume.isBusy} onClick={() => resume.act({ run, track })}>
          <Icon name="play" size={12} /> Resume<span className="hidden-words"> track {track}</span>
        </Button>
      )}
    </div>
  );
}
