import type { ReactElement, ReactNode } from 'react';
import type { RunState } from '../../../../core/run/state.ts';
import { runMoney } from '../../../../core/schedule/budget.ts';
import { StateBar } from '../../../ui/state/state-bar.tsx';
import { Duration, Spent, Time } from '../../../ui/text/amounts.tsx';
import { Copyable } from '../../../ui/text/copyable.tsx';
import { Icon } from '../../../ui/text/icon.tsx';
import styles from './run-facts.module.css';

/** The progress and cost of a run. */
export function RunProgress({ state }: { state: RunState }): ReactElement {
  const { start, counts, order, subRuns = [] } = state;
  const budget = start.config.budget.run;
  const { spentUsd } = runMoney(state);
  return (
    <div className={styles.progress}>
      <StateBar counts={counts} total={order.length} />
      <span className="numbers quiet">
        {counts.done.toLocaleString('en-US')} / {order.length.toLocaleString('en-US')} done
      </span>
      {spentUsd === 0 && budget === undefined && state.unknownUsage === undefined ? null : (
        <span title={subRuns.length === 0 ? 'Cost' : 'Cost, including sub-runs'}>
          <Spent usd={spentUsd} budget={budget} unknown={state.unknownUsage} />
        </span>
      )}
    </div>
  );
}

/** The goal, the ids, the branches and the times of a run, behind a button. */
export function RunDetails({ state, children }: { state: RunState; children: ReactNode }): ReactElement {
  const { start, status } = state;
  const goal = goalOf(start);
  const project = start.project.folder ?? start.project.root;
  return (
    <details className={styles.details}>
      <summary>Details</summary>
      {goal === undefined ? null : <p className={styles.goal}>{goal}</p>}
      <dl className={styles.list}>
        <Fact name="Run">
          <Copyable text={start.run} />
        </Fact>
        <Fact name="Project">
          <Copyable text={project} shown={project.split(/[\\/]/).findLast((part) => part !== '') ?? project} />
        </Fact>
        <Fact name="Recipe">{start.recipe.name}</Fact>
        <Fact name="Base">{start.base.branch ?? start.base.commit.slice(0, 8)}</Fact>
        {state.pushed === null ? null : (
          <Fact name="Branch">
            <Copyable text={`mh/${start.run}`} />
          </Fact>
        )}
        <Landed state={state} />
        <Fact name="Started">
          <Time at={state.startedAt} />
        </Fact>
        <Fact name={status.kind === 'ended' ? 'Duration' : 'Elapsed'}>
          <Duration from={state.startedAt} to={status.kind === 'ended' ? status.at : null} />
        </Fact>
      </dl>
      {children}
    </details>
  );
}

/** What the user wrote, where the title is only its beginning. */
function goalOf({ input, title }: RunState['start']): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  const text = 'goal' in input ? input.goal : 'task' in input ? input.task : undefined;
  return typeof text === 'string' && text.trim() !== title ? text.trim() : undefined;
}

function Fact({ name, children }: { name: string; children: ReactNode }): ReactElement {
  return (
    <div className={styles.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Landed({ state: { landed, undone } }: { state: RunState }): ReactElement | null {
  if (landed === null) return null;
  const pages = (landed.pullRequests ?? []).filter(({ url }) => /^https?:\/\//.test(url));
  if (pages.length > 1)
    return (
      <Fact name={undone === null ? 'Landed' : 'Undone'}>
        {pages.map(({ url }, index) => (
          <a key={url} href={url} target="_blank" rel="noreferrer" className={styles.page}>
            Pull request {index + 1} <Icon name="outside" size={12} />
          </a>
        ))}
      </Fact>
    );
  const isPage = landed.url !== null && /^https?:\/\//.test(landed.url);
  return (
    <Fact name={undone === null ? 'Landed' : 'Undone'}>
      {isPage && landed.url !== null ? (
        <a href={landed.url} target="_blank" rel="noreferrer" className={styles.page}>
          {landed.how === 'pr' ? 'Pull request' : landed.branch} <Icon name="outside" size={12} />
        </a>
      ) : (
        <span>
          {landed.how === 'branch' ? 'as' : 'on'} {landed.branch} at{' '}
          <Copyable text={(undone ?? landed).commit} shown={(undone ?? landed).commit.slice(0, 8)} />
        </span>
      )}
    </Fact>
  );
}
