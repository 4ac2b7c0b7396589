import { type ReactElement, useMemo, useState } from 'react';
import { useDebouncedText } from '../../../ui/controls/use-debounced-text.ts';
import { EmptyState } from '../../../ui/feedback/placeholders.tsx';
import { useRowHeight, VirtualList } from '../../../ui/layout/virtual-list.tsx';
import { type DisplayState, STATE_LABELS, URGENCY } from '../../../ui/state/display-state.ts';
import type { ViewProps } from '../run-views.ts';
import { useChoices } from '../use-view-params.ts';
import { RetryConfirmation } from './retry-confirmation.tsx';
import { displayStateCounts, planRows, staleTasks } from './task-plan.ts';
import { TaskRow } from './task-row.tsx';
import styles from './tasks.module.css';

const ROW_PX = 34;

/** The tasks of a run as a list with filters and actions. */
export function Tasks({ state, version }: ViewProps): ReactElement {
  const [search, choose] = useChoices();
  const [retryTask, setRetryTask] = useState<string | null>(null);
  const rowHeight = useRowHeight(ROW_PX);
  const displayState = displayStateIn(search.get('status'));
  const text = search.get('text') ?? '';
  // biome-ignore lint/correctness/useExhaustiveDependencies: the state is mutated in place and changes with its version
  const rows = useMemo(() => planRows(state, { displayState, text }), [state, version, displayState, text]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the state is mutated in place and changes with its version
  const counts = useMemo(() => displayStateCounts(state), [state, version]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the state is mutated in place and changes with its version
  const stale = useMemo(() => staleTasks(state), [state, version]);
  return (
    <div className={styles.tasks}>
      <StatusFilter
        counts={counts}
        total={state.order.length}
        chosen={displayState}
        text={text}
        onDisplayState={(chosen) => choose('status', chosen)}
        onText={(written) => choose('text', written)}
      />
      {retryTask === null ? null : (
        <RetryConfirmation state={state} task={retryTask} onDone={() => setRetryTask(null)} />
      )}
      {rows.length === 0 ? (
        <EmptyState title={state.order.length === 0 ? 'No tasks yet' : 'No matching tasks'}>
          {state.order.length === 0 ? 'The run is being prepared.' : 'Choose another state or text.'}
        </EmptyState>
      ) : (
        <VirtualList
          label="Tasks"
          count={rows.length}
          rowHeight={rowHeight}
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
            return (
              <TaskRow state={state} row={row} isStale={stale.has(row.key)} onRetry={() => setRetryTask(row.key)} />
            );
          }}
        </VirtualList>
      )}
    </div>
  );
}

function displayStateIn(value: string | null): DisplayState | null {
  return URGENCY.find((displayState) => displayState === value) ?? null;
}

type StatusFilterProps = {
  counts: ReadonlyMap<DisplayState, number>;
  total: number;
  chosen: DisplayState | null;
  text: string;
  onDisplayState(displayState: DisplayState | null): void;
  onText(text: string): void;
};

/** Filters tasks by state and text. */
function StatusFilter({ counts, total, chosen, text, onDisplayState, onText }: StatusFilterProps): ReactElement {
  const [typed, setTyped] = useDebouncedText(text, onText);
  return (
    <div className={styles.filter}>
      <input
        type="search"
        className={styles.text}
        placeholder="Filter tasks"
        aria-label="Filter tasks by text"
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      <fieldset className={styles.looks} aria-label="Filter by state">
        <Choice isChosen={chosen === null} count={total} onChoose={() => onDisplayState(null)}>
          All
        </Choice>
        {URGENCY.filter((displayState) => counts.has(displayState) || displayState === chosen).map((displayState) => (
          <Choice
            key={displayState}
            isChosen={chosen === displayState}
            count={counts.get(displayState) ?? 0}
            onChoose={() => onDisplayState(chosen === displayState ? null : displayState)}
          >
            {STATE_LABELS[displayState]}
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
