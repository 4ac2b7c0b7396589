import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { taskPath } from '../../ui/browser/page-paths.ts';
import { taskDisplayState } from '../../ui/state/display-state.ts';
import { StateMark } from '../../ui/state/state-mark.tsx';
import { Time } from '../../ui/text/amounts.tsx';
import { splitMatches } from '../../ui/text/split-matches.ts';
import styles from './search.module.css';
import type { FoundTask, HitGroup } from './search-hits.ts';

/** The hits in the transcript of one task. */
export function Hits({ group, query }: { group: HitGroup; query: string }): ReactElement {
  return (
    <li className={styles.group}>
      <h3 className={styles.head}>
        <Link href={taskPath(group.run, group.task)}>
          {group.title === group.taskTitle ? null : <span className="quiet">{group.title} / </span>}
          {group.taskTitle}
        </Link>
      </h3>
      <ul>
        {group.hits.map(({ row, attempt, kind, at, excerpt }) => (
          <li key={row}>
            <Link
              href={`${taskPath(group.run, group.task)}?view=transcript&attempt=${attempt}&row=${row}`}
              className={styles.hit}
            >
              <span className={styles.kind}>{kind}</span>
              <span className={styles.excerpt}>
                <Marked text={excerpt} query={query} />
              </span>
              <span className="quiet">
                <Time at={at} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </li>
  );
}

/** A task whose title or prompt matches. */
export function FoundTaskRow({ found, query }: { found: FoundTask; query: string }): ReactElement {
  return (
    <li>
      <Link href={taskPath(found.run, found.task)} className={styles.task}>
        <StateMark displayState={taskDisplayState(found.status)} bare />
        <span>
          <Marked text={found.taskTitle} query={query} />
        </span>
        <span className="quiet">{found.title === found.taskTitle ? null : found.title}</span>
      </Link>
    </li>
  );
}

function Marked({ text, query }: { text: string; query: string }): ReactElement {
  return (
    <>
      {splitMatches(
        text,
        query.split(/\s+/).filter((word) => word !== ''),
      ).map((piece) =>
        piece.isMatch ? <mark key={piece.at}>{piece.text}</mark> : <span key={piece.at}>{piece.text}</span>,
      )}
    </>
  );
}
