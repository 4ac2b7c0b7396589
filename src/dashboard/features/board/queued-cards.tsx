import { type DragEvent, type ReactElement, useState } from 'react';
import type { OperationInput } from '../../../operations/all.ts';
import { call } from '../../api/call.ts';
import { MAY_ACT } from '../../api/role.ts';
import { Button } from '../../ui/controls/button.tsx';
import { notify } from '../../ui/feedback/notices.ts';
import styles from './board.module.css';
import { BoardCard } from './board-card.tsx';
import type { Card } from './board-columns.ts';
import { movedBefore, prioritiesFor } from './queue-order.ts';

const TYPE = 'application/x-manyhands-card';

/** Queued work in the order of its turn, which is changed by dragging a card or with its buttons. */
export function QueuedCards({ all, shown }: { all: readonly Card[]; shown: readonly Card[] }): ReactElement {
  const [over, setOver] = useState<string | null>();
  const [isBusy, setBusy] = useState(false);
  const queue = all.flatMap(({ queued }) => queued ?? []);
  const move = async (moved: string, before: string | null) => {
    setOver(undefined);
    setBusy(true);
    try {
      for (const { id, priority } of prioritiesFor(movedBefore(queue, moved, before), moved))
        await prioritize(
          all.find((card) => card.id === id),
          priority,
        );
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
      event.stopPropagation();
      setOver(before);
    },
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      event.stopPropagation();
      const moved = event.dataTransfer.getData(TYPE);
      if (moved !== '') void move(moved, before);
    },
  });
  if (!MAY_ACT || all.length < 2)
    return (
      <ul>
        {shown.map((card) => (
          <BoardCard key={card.id} card={card} column="queued" />
        ))}
      </ul>
    );
  return (
    <ul {...target(null)} onDragLeave={() => setOver(undefined)} aria-busy={isBusy} data-over={over === null}>
      {shown.map((card, index) => (
        <BoardCard
          key={card.id}
          card={card}
          column="queued"
          draggable={canMove(card)}
          data-over={over === card.id}
          onDragStart={({ dataTransfer }) => {
            dataTransfer.setData(TYPE, card.id);
            dataTransfer.effectAllowed = 'move';
          }}
          onDragEnd={() => setOver(undefined)}
          {...target(card.id)}
        >
          <p className={styles.turn} hidden={!canMove(card)}>
            <Button
              weight="quiet"
              disabled={index === 0 || isBusy}
              aria-label={`Start ${titleOf(card)} earlier`}
              onClick={() => void move(card.id, all[index - 1]?.id ?? null)}
            >
              Earlier
            </Button>
            <Button
              weight="quiet"
              disabled={index === all.length - 1 || isBusy}
              aria-label={`Start ${titleOf(card)} later`}
              onClick={() => void move(card.id, all[index + 2]?.id ?? null)}
            >
              Later
            </Button>
          </p>
        </BoardCard>
      ))}
    </ul>
  );
}

/** A run that has no tasks yet has no priority. */
function canMove({ run, task }: Card): boolean {
  return task !== undefined || run.tasks > 0;
}

function titleOf({ run, task }: Card): string {
  return task?.title ?? run.title;
}

async function prioritize(
  card: Card | undefined,
  priority: OperationInput<'prioritize-run'>['priority'],
): Promise<void> {
  if (card === undefined || !canMove(card)) return;
  const { run } = card.run;
  if (card.task === undefined) await call('prioritize-run', { run, priority });
  else await call('prioritize-task', { run, task: card.task.task, priority });
}
