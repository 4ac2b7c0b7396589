import { type ReactElement, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { MAY_ACT } from '../../api/role.ts';
import { useOperation } from '../../api/use-operation.ts';
import { runPath } from '../../ui/browser/page-paths.ts';
import { Button } from '../../ui/controls/button.tsx';
import { useListKeys } from '../../ui/controls/list-keys.ts';
import { EmptyState, ErrorMessage, Skeleton } from '../../ui/feedback/placeholders.tsx';
import { PageFrame } from '../../ui/layout/page.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { ArchivePanel } from './archive-panel.tsx';
import { CollectionActions } from './collection-actions.tsx';
import { HistoryActions, useRunUpdates } from './history-actions.tsx';
import { HistoryFilters } from './history-filters.tsx';
import { historyQuery, withFilter } from './history-query.ts';
import { HistoryTable } from './history-table.tsx';
import { useHistory } from './use-history.ts';

/** All runs with filters, and the actions that flag, hide, collect, rename and archive them. */
export function HistoryPage(): ReactElement {
  const [params, setParams] = useSearchParams();
  const [, navigate] = useLocation();
  const query = historyQuery(params);
  const { runs, error, isLoading, hasMore, isAdding, more, reload } = useHistory(query);
  const projects = useOperation('list-projects', {}, { fresh: true }).data ?? [];
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [isArchiving, setArchiving] = useState(false);
  const clear = () => setChosen(new Set());
  const updates = useRunUpdates(clear);
  const toggle = (run: string) =>
    setChosen((before) => new Set(before.has(run) ? [...before].filter((each) => each !== run) : [...before, run]));
  const keys = useListKeys(runs.length, (key, index) => {
    const run = runs[index];
    if (run === undefined) return false;
    if (key === 'Enter') navigate(runPath(run.run));
    else if (key === 'x') toggle(run.run);
    else if (key === 'f') updates.flag([run], run.flag === null);
    else if (key === 'h') updates.hide([run], !run.hidden);
    else return false;
    return true;
  });
  const selected = runs.filter(({ run }) => chosen.has(run));
  const projectRoots = new Set(selected.map(({ project }) => project));
  const dir = projectRoots.size === 1 ? projects.find(({ root }) => projectRoots.has(root))?.root : undefined;
  const change = (filter: Record<string, string | boolean>) => {
    clear();
    setParams(withFilter(params, filter), { replace: true });
  };
  return (
    <PageFrame
      title="History"
      about="All runs of all projects."
      actions={isArchiving ? undefined : <Button onClick={() => setArchiving(true)}>Archive old runs</Button>}
    >
      {isArchiving ? <ArchivePanel onClose={() => setArchiving(false)} /> : null}
      <HistoryFilters query={query} onChange={change} />
      {query.collection === '' || query.dir === '' || !MAY_ACT ? null : (
        <CollectionActions
          key={query.collection}
          dir={query.dir}
          name={query.collection}
          onChange={(collection) => change({ collection })}
        />
      )}
      <HistoryActions
        runs={selected}
        dir={query.dir === '' ? dir : query.dir}
        isArchived={query.archived}
        onDone={clear}
      />
      <Panel title="Runs" flush>
        {isLoading ? <Skeleton lines={12} /> : null}
        {error === undefined ? null : <ErrorMessage error={error} retry={reload} />}
        {!isLoading && error === undefined && runs.length === 0 ? (
          <EmptyState title="No matching runs">Remove a filter, or start a run with New run.</EmptyState>
        ) : null}
        {runs.length === 0 ? null : (
          <HistoryTable runs={runs} chosen={chosen} keys={keys} isArchived={query.archived} onChoose={toggle} />
        )}
      </Panel>
      {hasMore ? (
        <div>
          <Button busy={isAdding} onClick={more}>
            Older runs
          </Button>
        </div>
      ) : null}
    </PageFrame>
  );
}
