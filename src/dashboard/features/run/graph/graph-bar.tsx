import { type FormEvent, type ReactElement, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { Button } from '../../../ui/controls/button.tsx';
import styles from './graph.module.css';
import type { Grouping } from './graph-model.ts';

type GraphBarProps = {
  by: Grouping;
  hasExpanded: boolean;
  onChoose(by: Grouping): void;
  onCollapseAll(): void;
  onFind(text: string): boolean;
};

const TITLES: Record<Grouping, string> = {
  none: 'All tasks',
  track: 'By track',
  role: 'By role',
  depth: 'By step',
  state: 'By state',
};

/** The grouping, the search field, and a link to the task list. */
export function GraphBar({ by, hasExpanded, onChoose, onCollapseAll, onFind }: GraphBarProps): ReactElement {
  const [path] = useLocation();
  return (
    <div className={styles.bar}>
      <label className={styles.by}>
        <span className="quiet">Show</span>
        <select value={by} onChange={({ target }) => onChoose(groupingIn(target.value))}>
          {Object.entries(TITLES).map(([value, title]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <FindBox onFind={onFind} />
      {hasExpanded ? (
        <Button weight="quiet" onClick={onCollapseAll}>
          Collapse all
        </Button>
      ) : null}
      <span className={styles.critical}>critical path</span>
      <Link href={`${path}?view=tasks`} className={styles.list}>
        Show as list
      </Link>
    </div>
  );
}

function groupingIn(value: string): Grouping {
  return value === 'track' || value === 'role' || value === 'depth' || value === 'state' ? value : 'none';
}

/** Finds a task in the graph; Enter again finds the next one. */
function FindBox({ onFind }: { onFind(text: string): boolean }): ReactElement {
  const [text, setText] = useState('');
  const [isMissing, setMissing] = useState(false);
  const find = (event: FormEvent) => {
    event.preventDefault();
    setMissing(text.trim() !== '' && !onFind(text));
  };
  return (
    <form onSubmit={find} className={styles.by}>
      <input
        type="search"
        className={styles.find}
        placeholder="Find a task"
        aria-label="Find a task in the graph"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <span className="quiet" role="status">
        {isMissing ? 'No matching task' : ''}
      </span>
    </form>
  );
}
