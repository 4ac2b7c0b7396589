import { type ReactElement, useEffect, useState } from 'react';
import { call } from '../api/call.ts';
import { useOverview } from '../api/overview.ts';
import { ApiProblem } from '../api/problem.ts';
import styles from './connection.module.css';

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
    call('list-projects', {}, asking.signal).then(
      () => setTrouble('none'),
      (error: unknown) => {
        if (!asking.signal.aborted)
          setTrouble(error instanceof ApiProblem && error.status === 401 ? 'signed-out' : 'lost');
      },
    );
    return () => asking.abort();
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
