import type { KeyboardEvent, ReactElement } from 'react';
import type { TaskState } from '../../../core/run/state.ts';
import styles from './task-tabs.module.css';
import { type Address, VIEWS, type View } from './use-address.ts';

type TaskTabsProps = { address: Address; task: TaskState; hasTerminal: boolean };

/** The views of a task, each with its own address; arrow keys go from one to the next. */
export function TaskTabs({ address, task, hasTerminal }: TaskTabsProps): ReactElement {
  const views = VIEWS.filter((view) => view !== 'terminal' || hasTerminal);
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (by === 0) return;
    const next = views[(views.indexOf(address.view) + by + views.length) % views.length];
    if (next === undefined) return;
    event.preventDefault();
    address.show({ view: next });
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div className={styles.bar}>
      <div className={styles.tabs} role="tablist" aria-label="Views" tabIndex={-1} onKeyDown={onKeyDown}>
        {views.map((view) => (
          <button
            key={view}
            id={`tab-${view}`}
            type="button"
            role="tab"
            className={styles.tab}
            aria-selected={view === address.view}
            tabIndex={view === address.view ? 0 : -1}
            onClick={() => address.show({ view })}
          >
            {TITLES[view]}
            <Count task={task} view={view} />
          </button>
        ))}
      </div>
      {address.view === 'transcript' && task.attempts.length > 1 ? <Choice address={address} task={task} /> : null}
    </div>
  );
}

const TITLES: Record<View, string> = {
  transcript: 'Transcript',
  attempts: 'Attempts',
  gates: 'Gates',
  diff: 'Diff',
  prompt: 'Prompt',
  terminal: 'Terminal',
};

function Count({ task, view }: { task: TaskState; view: View }): ReactElement | null {
  const number = view === 'attempts' ? task.attempts.length : view === 'gates' ? task.evidence.length : 0;
  return number === 0 ? null : <span className={styles.count}>{number}</span>;
}

function Choice({ address, task }: { address: Address; task: TaskState }): ReactElement {
  const chosen = address.attempt ?? task.attempts.at(-1)?.number;
  return (
    <label className={styles.choice}>
      Attempt
      <select value={chosen} onChange={(event) => address.show({ attempt: Number(event.target.value) })}>
        {task.attempts.toReversed().map(({ number, agent, ended }) => (
          <option key={number} value={number}>
            {number} · {agent} · {ended === null ? 'under way' : (ended.failure?.kind ?? 'ended')}
          </option>
        ))}
      </select>
    </label>
  );
}
