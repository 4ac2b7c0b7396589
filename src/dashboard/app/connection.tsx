import { type ReactElement, useEffect, useState } from 'react';
import { ApiProblem } from '../api/api-error.ts';
import { call } from '../api/call.ts';
import { useOverview } from '../api/run-overview.ts';
import { after } from '../ui/browser/clock.ts';
import styles from './connection.module.css';

/** A server that does not answer in this time is as good as none. */
const PATIENCE_MS = 2_000;

type Trouble = 'none' | 'lost' | 'signed-out';

/** Says when the picture is not live, why, and what to do; while all is well it takes no room. */
export function Connection(): ReactElement | null {
  const { standing } = useOverview();
  const [trouble, setTrouble] = useState<Trouble>('none');
  useEffect(() => {
    if (standing !== 'lost') {
      setTrouble('none');
      return;
    }
    const asking = new AbortController();
    const callOff = after(PATIENCE_MS, () => setTrouble('lost'));
    call('list-projects', {}, asking.signal).then(
      () => {
        callOff();
        setTrouble('none');
      },
      (error: unknown) => {
        callOff();
        if (!asking.signal.aborted)
          setTrouble(error instanceof ApiProblem && error.status === 401 ? 'signed-out' : 'lost');
      },
    );
    return () => {
      callOff();
      asking.abort();
    };
  }, [standing]);
  if (trouble === 'none') return null;
  return (
    <p className={styles.banner} role="status">
      {trouble === 'lost' ? (
        <>
          Not connected: what you see is from before. It is being tried again; if the server was stopped, start it with{' '}
          <code>mh serve</code>. Agents at work go on.
        </>
      ) : (
        <>
          You are not signed in any more. Run <code>mh serve --open</code> for a new link.
        </>
      )}
    </p>
  );
}
