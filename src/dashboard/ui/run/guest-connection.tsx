import type { ReactElement } from 'react';
import type { ConnectionState } from '../../api/follow-events.ts';
import { IS_GUEST } from '../../api/role.ts';

/** Tells a guest that the page is not live; other users have this line in the frame of the page. */
export function GuestConnection({ connectionState }: { connectionState: ConnectionState }): ReactElement | null {
  if (!IS_GUEST || connectionState !== 'lost') return null;
  return <p role="status">Not connected. This page may be out of date, or the share has ended; reconnecting.</p>;
}
