import { type DragEvent, type ReactElement, useState } from 'react';
import type { RunOverview } from '../../../schema/overview.ts';
import { call } from '../../api/call.ts';
import { MAY_ACT } from '../../api/role.ts';
import { Button } from '../../ui/controls/button.tsx';
import { notify } from '../../ui/feedback/notices.ts';
import styles from './board.module.css';
import { movedBefore, prioritiesFor } from './board-columns.ts';
import { RunCard } from './run-card.tsx';

const TYPE = 'application/x-manyhands-run';

/** The queued runs in the order of their turn, which is changed by dragging a card or with its buttons. */
export function QueuedCards({ runs }: { runs: readonly RunOverview[] }): ReactElement {
  const [over, setOver] = useState<string | null>();
  const [isBusy, setBusy] = useState(false);
  const move = async (moved: string, before: string | null) => {
    setOver(undefined);
    setBusy(true);
    try {
      for (const change of prioritiesFor(movedBefore(runs, moved, before))) await call('prioritize-run', change);
    } catch (error) {
      notify({ kind: 'error', text: error instanceof Error ? error.message : String(error), error });
    } finally {
      setBusy(false);
    }
  };
  const target = (before: string | null) => ({
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes(TYPE)) return;
      event.preventDefault();
      setOver(before);
    },
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      const moved = event.dataTransfer.getData(TYPE);
      if (moved !== '') void move(moved, before);
    },
  });
  if (!MAY_ACT || runs.length < 2)
    return (
      <ul>
        {runs.map((run) => (
          <RunCard key={run.run} run={run} />
        ))}
      </ul>
    );
  return (
    <ul {...target(null)} onDragLeave={() => setOver(undefined)} aria-busy={isBusy}>
      {runs.map((run, index) => (
        <RunCard
          key={run.run}
          run={run}
          draggable
          data-over={over === run.run}
          onDragStart={({ dataTransfer }) => {
            dataTransfer.setData(TYPE, run.run);
            dataTransfer.effectAllowed = 'move';
          }}
          {...stopped(target(run.run))}
        >
          <p className={styles.turn}>
            <Button
              weight="quiet"
              disabled={index === 0 || isBusy}
              aria-label={`Start ${run.title} earlier`}
              onClick={() => void move(run.run, runs[index - 1]?.run ?? null)}
            >
              Earlier
            </Button>
            <Button
              weight="quiet"
              disabled={index === runs.length - 1 || isBusy}
              aria-label={`Start ${run.title} later`}
              onClick={() => void move(run.run, runs[index + 2]?.run ?? null)}
            >
              Later
            </Button>
          </p>
        </RunCard>
      ))}
    </ul>
  );
}

/** The list around a card is a target too: the end of it. */
function stopped(handlers: { onDragOver(event: DragEvent): void; onDrop(event: DragEvent): void }) {
  return {
    onDragOver: (event: DragEvent) => {
      event.stopPropagation();
      handlers.onDragOver(event);
    },
    onDrop: (event: DragEvent) => {
      event.stopPropagation();
      handlers.onDrop(event);
    },
  };
}
