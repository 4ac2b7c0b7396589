import type { ReactElement } from 'react';
import { ScrollArea } from '../../../ui/scroll-area.tsx';
import { Empty } from '../../../ui/standing.tsx';
import type { TaskView } from '../task-view.ts';
import { AttemptCard } from './attempt-card.tsx';
import styles from './attempts.module.css';

/** All attempts of a task side by side, the newest first. */
export function AttemptsView({ view, again }: { view: TaskView; again(): void }): ReactElement {
  const attempts = view.task.attempts.toReversed();
  if (attempts.length === 0)
    return <Empty title="No attempt has started yet">Each try at this task is told here, side by side.</Empty>;
  return (
    <ScrollArea className={styles.columns} label="Attempts side by side">
      {attempts.map((attempt) => (
        <AttemptCard
          key={attempt.number}
          which={{ run: view.run, task: view.task.spec.key }}
          attempt={attempt}
          again={again}
        />
      ))}
    </ScrollArea>
  );
}
