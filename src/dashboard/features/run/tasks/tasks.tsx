import { type ReactElement, useMemo, useState } from 'react';
import { Empty } from '../../../ui/feedback/placeholders.tsx';
import { VirtualList } from '../../../ui/layout/virtual-list.tsx';
import { type Look, URGENCY, WORDS } from '../../../ui/state/display-state.ts';
import type { ViewProps } from '../run-views.ts';
import { useChoices } from '../use-view-params.ts';
import { RetryQuestion } from './retry-confirmation.tsx';
import { lookCounts, planRows, staleTasks } from './task-plan.ts';
import { TaskLine } from './task-row.tsx';
import styles from './tasks.module.css';

const ROW_PX = 34;

/** The plan as a list that can be ticked off, filtered and acted upon. */
export function Tasks({ state, version }: ViewProps): ReactElement {
  const [search, choose] = useChoices();
  const [asked, setAsked] = useState<string | null>(null);
  const look = lookIn(search.get('status'));
  const text = search.get('text') ?? '';
  // biome-ignore lint/correctness/useExhaustiveDependencies: the state is changed in place, the version tells
  const rows = useMemo(() => planRows(state, { look, text }), [state, version, look, text]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the state is changed in place, the version tells
  const counts = useMemo(() => lookCounts(state), [state, version]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the state is changed in place, the version tells
  const stale = useMemo(() => staleTasks(state), [state, version]);
  return (
    <div className={styles.tasks}>
      <StatusFilter
        counts={counts}
        total={state.order.length}
        chosen={look}
        text={text}
        onLook={(chosen) => choose('status', chosen)}
        onText={(written) => choose('text', written)}
      />
      {asked === null ? null : <RetryQuestion state={state} task={asked} onDone={() => setAsked(null)} />}
      {rows.length === 0 ? (
        <Empty title={state.order.length === 0 ? 'No tasks yet' : 'No task is like that'}>
          {state.order.length === 0 ? 'The run is being prepared.' : 'Choose another state or other words.'}
        </Empty>
      ) : (
        <VirtualList
          label="Tasks"
          count={rows.length}
          rowHeight={ROW_PX}
          keyOf={(index) => {
            const row = rows[index];
            return row === undefined ? '' : row.kind === 'task' ? row.key : `track ${row.track}`;
          }}
        >
          {(index) => {
            const row = rows[index];
            if (row === undefined) return null;
            if (row.kind === 'track') {
              return (
                <p className={styles.track}>
                  {row.track === '' ? 'No track' : row.track} <span className="quiet">{row.tasks}</span>
                </p>
              );
            }
            return <TaskLine state={state} row={row} isStale={stale.has(row.key)} onRetry={() => setAsked(row.key)} />;
          }}
        </VirtualList>
      )}
    </div>
  );
}

function lookIn(value: string | null): Look | null {
  return URGENCY.find((look) => look === value) ?? null;
}

type StatusFilterProps = {
  counts: ReadonlyMap<Look, number>;
  total: number;
  chosen: Look | null;
  text: string;
  onLook(look: Look | null): void;
  onText(text: string): void;
};

/** Chooses tasks by their state and by words. */
function StatusFilter({ counts, total, chosen, text, onLook, onText }: StatusFilterProps): ReactElement {
  return (
    <div className={styles.filter}>
      <input
        type="search"
        className={styles.text}
        placeholder="Filter tasks"
        aria-label="Filter tasks by words"
        value={text}
        onChange={({ target }) => onText(target.value)}
      />
      <fieldset className={styles.looks} aria-label="By state">
        <Choice isChosen={chosen === null} count={total} onChoose={() => onLook(null)}>
          All
        </Choice>
        {URGENCY.filter((look) => counts.has(look) || look === chosen).map((look) => (
          <Choice
            key={look}
            isChosen={chosen === look}
            count={counts.get(look) ?? 0}
            onChoose={() => onLook(chosen === look ? null : look)}
          >
            {WORDS[look]}
          </Choice>
        ))}
      </fieldset>
    </div>
  );
}

type ChoiceProps = { isChosen: boolean; count: number; onChoose(): void; children: string };

function Choice({ isChosen, count, onChoose, children }: ChoiceProps): ReactElement {
  return (
    <button type="button" className={styles.look} aria-pressed={isChosen} onClick={onChoose}>
      {children} <span className="numbers">{count.toLocaleString('en-US')}</span>
    </button>
  );
}
