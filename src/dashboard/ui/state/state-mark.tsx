import type { ReactElement } from 'react';
import { SvgIcon } from '../text/icon.tsx';
import { type DisplayState, STATE_LABELS, stateColor } from './display-state.ts';
import styles from './state-mark.module.css';

const STATE_ICON_PATHS: Record<DisplayState, string> = {
  running: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM6.7 5.5v5L10.8 8z',
  checking: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 5v3.2l2 1.8',
  waiting: 'M8 1.8 14.2 8 8 14.2 1.8 8zM8 5v3.6M8 11h.01',
  paused: 'M5.5 3.5v9M10.5 3.5v9',
  interrupted: 'M8 2a6 6 0 0 0-4.2 10.2M8 14a6 6 0 0 0 4.2-10.2M8 5v3.6M8 11h.01',
  scheduled: 'M3 3.5h10v10H3zM3 6.5h10M5.5 2v2.5M10.5 2v2.5',
  queued: 'M8 3.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9z',
  done: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM5 8.2l2.2 2.2L11 6',
  unread: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM5 8.2l2.2 2.2L11 6M13.5 2.5h.01',
  partial: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 2v12M8 2a6 6 0 0 1 0 12',
  unverified: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM6.2 6.2A1.9 1.9 0 1 1 8 8.4v.8M8 11.4h.01',
  failed: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4',
  cancelled: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM3.8 3.8l8.4 8.4',
  stale: 'M13 5.5A5.5 5.5 0 1 0 13.5 9M13.5 2.5v3h-3',
};

type StateMarkProps = {
  displayState: DisplayState;
  /** Shows only the icon; screen readers still read the label. */
  bare?: boolean;
  /** Replaces the usual label. */
  label?: string;
};

/** A display state: its icon in its colour, and its label. */
export function StateMark({
  displayState,
  bare = false,
  label = STATE_LABELS[displayState],
}: StateMarkProps): ReactElement {
  return (
    <span className={styles.mark} style={{ color: stateColor(displayState) }} title={bare ? label : undefined}>
      <StateIcon displayState={displayState} />
      <span className={bare ? 'visually-hidden' : undefined}>{label}</span>
    </span>
  );
}

/** The icon of a state; its shape identifies it without its colour. */
function StateIcon({ displayState, size = 16 }: { displayState: DisplayState; size?: number }): ReactElement {
  return <SvgIcon path={STATE_ICON_PATHS[displayState]} size={size} />;
}

/** The SVG path of a state's icon, for the tab icon. */
export function stateIconPath(displayState: DisplayState): string {
  return STATE_ICON_PATHS[displayState];
}
