import { type ReactElement, useEffect, useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { call } from '../api/call.ts';
import { useOverview } from '../api/run-overview.ts';
import { after } from '../ui/browser/clock.ts';
import styles from './connection.module.css';

/** A server that does not answer in this time counts as unreachable. */
const PATIENCE_MS = 2_000;

type ConnectionProblem = 'none' | 'lost' | 'signed-out';

/** Shows a banner while the connection is lost or the login has expired. */
export function Connection(): ReactElement | null {
  const { connectionState } = useOverview();
  const [problem, setProblem] = useState<ConnectionProblem>('none');
  useEffect(() => {
    if (connectionState !== 'lost') {
      setProblem('none');
      return;
    }
    const controller = new AbortController();
    const cancelTimer = after(PATIENCE_MS, () => setProblem('lost'));
    call('list-projects', {}, controller.signal).then(
      () => {
        cancelTimer();
        setProblem('none');
      },
      (error: unknown) => {
        cancelTimer();
        if (!controller.signal.aborted)
          setProblem(error instanceof ApiError && error.status === 401 ? 'signed-out' : 'lost');
      },
    );
    return () => {
      cancelTimer();
      controller.abort();
    };
  }, [connectionState]);
  if (problem === 'none') return null;
  return (
    <p className={styles.banner} role="status">
      {problem === 'lost' ? (
        <>
          Not connected. This page may be out of date; reconnecting. If the server was stopped, start it with{' '}
          <code>mh serve</code>. Running agents continue.
        </>
      ) : (
        <>
          Your login has expired. Run <code>mh serve --open</code> for a new link.
        </>
      )}
    </p>
  );
}
