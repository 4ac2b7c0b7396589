import type { ReactElement } from 'react';
import { Link } from 'wouter';
import type { RunState } from '../../../../core/run/state.ts';
import type { Attention } from '../../../../core/view/attention.ts';
import { IS_GUEST } from '../../../api/role.ts';
import { runPath, taskPath } from '../../../ui/browser/page-paths.ts';
import { AttentionButtons, NextStepLine } from '../../../ui/run/attention-actions.tsx';
import { HoldAnswer } from '../../../ui/run/hold-answer.tsx';
import { StateMark } from '../../../ui/state/state-mark.tsx';
import { count } from '../../../ui/text/amounts.tsx';
import { CodeText } from '../../../ui/text/code-text.tsx';
import { visibleText } from '../../../ui/text/visible-text.ts';
import styles from './attention-box.module.css';

const MAX = 8;

/** What needs the user in this run, with the actions that resolve it. */
export function AttentionBox(props: { state: RunState; waiting: readonly Attention[] }): ReactElement | null {
  const { state, waiting } = props;
  if (waiting.length === 0) return null;
  return (
    <section className={styles.box} aria-label="Needs you">
      <ul>
        {waiting.slice(0, MAX).map((item) => (
          <Item key={`${item.task} ${item.what} ${item.nextStep}`} state={state} item={item} />
        ))}
      </ul>
      {waiting.length > MAX ? (
        <p className={styles.more}>
          and{' '}
          <Link href={`${runPath(state.start.run)}?view=tasks&status=waiting`} className="link">
            {count(waiting.length - MAX, 'more task')}
          </Link>
        </p>
      ) : null}
    </section>
  );
}

function Item({ state, item }: { state: RunState; item: Attention }): ReactElement {
  const run = state.start.run;
  const { task, reason, files, nextStep } = item;
  return (
    <li className={styles.item}>
      <div className={styles.text}>
        <p className={styles.reason}>
          <StateMark displayState="waiting" bare />
          {task === null ? null : (
            <Link href={taskPath(run, task)} className={styles.task}>
              {visibleText(state.tasks[task]?.spec.title ?? task)}
            </Link>
          )}
          <span>
            <CodeText text={reason} />
          </span>
        </p>
        {files.length === 0 ? null : (
          <p className={styles.files} title={files.join('\n')}>
            {files.slice(0, 5).map(visibleText).join(', ')}
            {files.length > 5 ? ` and ${files.length - 5} more` : ''}
          </p>
        )}
        {item.what === 'blocked' ? (
          <p className={styles.step}>
            <NextStepLine step={nextStep} run={run} />
          </p>
        ) : null}
      </div>
      <div className={styles.buttons} hidden={IS_GUEST}>
        {task === null && (item.what === 'held' || (item.what === 'plan' && item.options !== undefined)) ? (
          <HoldAnswer hold={{ run, task, hold: item.hold, options: item.options, subject: 'step' }} />
        ) : (
          <AttentionButtons item={{ ...item, run }} />
        )}
      </div>
    </li>
  );
}
