import { type ReactElement, useId } from 'react';
import { useSearchParams } from 'wouter';
import { usePages } from '../../api/use-pages.ts';
import { Button } from '../../ui/controls/button.tsx';
import { useDebouncedText } from '../../ui/controls/use-debounced-text.ts';
import { EmptyState, ErrorMessage, Skeleton } from '../../ui/feedback/placeholders.tsx';
import { PageFrame } from '../../ui/layout/page.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { count } from '../../ui/text/amounts.tsx';
import { FoundTaskRow, Hits } from './hit-list.tsx';
import styles from './search.module.css';
import { groupHits } from './search-hits.ts';

/** Searches all transcripts and tasks while typing. */
export function SearchPage(): ReactElement {
  const id = useId();
  const [params, setParams] = useSearchParams();
  const text = params.get('q') ?? '';
  const [typed, setTyped] = useDebouncedText(text, (q) => setParams(q === '' ? {} : { q }, { replace: true }));
  const found = usePages('search', {
    input: (before) => ({ text, ...(typeof before === 'number' ? { before } : {}) }),
    next: ({ next }) => next ?? undefined,
    enabled: text !== '',
  });
  const tasks = text === '' ? [] : (found.pages[0]?.tasks ?? []);
  const groups = text === '' ? [] : groupHits(found.pages);
  const isEmpty = text !== '' && !found.isLoading && found.error === undefined && tasks.length + groups.length === 0;
  return (
    <PageFrame title="Search" about="All transcripts and tasks.">
      <search>
        <label htmlFor={id} className="visually-hidden">
          Search for
        </label>
        <input
          id={id}
          type="search"
          className={styles.input}
          value={typed}
          placeholder="Words, file names, error messages"
          // The field is the purpose of the page.
          // biome-ignore lint/a11y/noAutofocus: see above
          autoFocus
          onChange={(event) => setTyped(event.target.value)}
        />
      </search>
      <p className="visually-hidden" role="status">
        {text === '' || found.isLoading ? '' : `${count(groups.length + tasks.length, 'task')} found`}
      </p>
      {text === '' ? <EmptyState title="Type to search">All words must match. Newest results first.</EmptyState> : null}
      {found.isLoading && text !== '' ? <Skeleton lines={8} /> : null}
      {found.error === undefined ? null : <ErrorMessage error={found.error} retry={found.reload} />}
      {isEmpty ? <EmptyState title={`No results for “${text}”`}>Try fewer or shorter words.</EmptyState> : null}
      {tasks.length === 0 ? null : (
        <Panel title="Tasks" flush>
          <ul>
            {tasks.map((task) => (
              <FoundTaskRow key={`${task.run} ${task.task}`} found={task} query={text} />
            ))}
          </ul>
        </Panel>
      )}
      {groups.length === 0 ? null : (
        <Panel title="Transcripts" flush>
          <ul>
            {groups.map((group) => (
              <Hits key={group.key} group={group} query={text} />
            ))}
          </ul>
        </Panel>
      )}
      {found.hasMore && text !== '' ? (
        <div>
          <Button busy={found.isAdding} onClick={found.more}>
            Older results
          </Button>
        </div>
      ) : null}
    </PageFrame>
  );
}
