import type { ReactElement } from 'react';
import { useSearchParams } from 'wouter';
import { MAY_ACT } from '../../api/role.ts';
import { useOperation } from '../../api/use-operation.ts';
import { useProject } from '../../api/use-project.ts';
import { ProjectChoice } from '../../ui/controls/project-select.tsx';
import { EmptyState, ErrorMessage, Skeleton } from '../../ui/feedback/placeholders.tsx';
import { PageFrame } from '../../ui/layout/page.tsx';
import { count } from '../../ui/text/amounts.tsx';
import { BatchForm } from './batch-form.tsx';
import { BatchView } from './batch-view.tsx';
import styles from './batches.module.css';

/** Saved lists of prompts, and the form that starts one. */
export function BatchesPage(): ReactElement {
  const { projects, dir, choose, isLoading } = useProject();
  const [params, setParams] = useSearchParams();
  const list = useOperation('list-batches', { dir: dir ?? '' }, { enabled: dir !== undefined, fresh: true });
  const { batches = [], mistakes = [] } = list.data ?? {};
  const chosen = batches.find(({ name }) => name === params.get('name')) ?? batches[0];
  return (
    <PageFrame
      title="Batches"
      about="Saved lists of prompts. Each prompt becomes a job."
      actions={<ProjectChoice projects={projects} dir={dir} onChoose={choose} />}
    >
      {isLoading || list.isLoading ? <Skeleton lines={8} /> : null}
      {list.error === undefined ? null : <ErrorMessage error={list.error} retry={list.reload} />}
      {mistakes.map((problem) => (
        <ErrorMessage key={problem} error={problem} />
      ))}
      {!isLoading && dir === undefined ? (
        <EmptyState title="No project yet">Start a run in a project and it appears here.</EmptyState>
      ) : null}
      {list.data !== undefined && batches.length === 0 ? (
        <EmptyState title="No batches in this project">A batch is a saved list of prompts, such as chores.</EmptyState>
      ) : null}
      {dir === undefined || chosen === undefined ? null : (
        <div className={styles.columns}>
          <div className={styles.side}>
            <ul className={styles.list} aria-label="Batches">
              {batches.map(({ name, summary, items }) => (
                <li key={name}>
                  <button
                    type="button"
                    className={styles.entry}
                    aria-current={name === chosen.name || undefined}
                    onClick={() => setParams({ dir, name })}
                  >
                    <span className={styles.name}>{name}</span>
                    <span className="quiet">{summary ?? count(items.length, 'item')}</span>
                  </button>
                </li>
              ))}
            </ul>
            {MAY_ACT ? <BatchForm key={dir} dir={dir} onDone={(name) => setParams({ dir, name })} /> : null}
          </div>
          <div className={styles.column}>
            <BatchView key={chosen.name} dir={dir} batch={chosen} />
            {MAY_ACT ? (
              <BatchForm key={`${dir} ${chosen.name}`} dir={dir} name={chosen.name} onDone={() => {}} />
            ) : null}
          </div>
        </div>
      )}
      {dir === undefined || chosen !== undefined || !MAY_ACT ? null : (
        <BatchForm key={dir} dir={dir} onDone={(name) => setParams({ dir, name })} />
      )}
    </PageFrame>
  );
}
