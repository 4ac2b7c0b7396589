import type { ReactElement } from 'react';
import { useOperation } from '../../api/use-operation.ts';
import choice from '../../ui/controls/controls.module.css';
import { useDebouncedText } from '../../ui/controls/use-debounced-text.ts';
import styles from './history.module.css';
import { type HistoryQuery, STATUSES } from './history-query.ts';

type HistoryFiltersProps = { query: HistoryQuery; onChange(change: Record<string, string | boolean>): void };

/** Recipes that the start form does not list: they start from a pull request, or by the watcher of a project. */
const OTHER_RECIPES = ['review', 'watch'];

/** The filters of the history; they are kept in the address. */
export function HistoryFilters({ query, onChange }: HistoryFiltersProps): ReactElement {
  const projects = useOperation('list-projects', {}, { fresh: true }).data ?? [];
  const started = useOperation('list-recipes', {}, { fresh: true }).data ?? [];
  const recipes = [...started.map(({ name }) => name), ...OTHER_RECIPES];
  const root = query.dir === '' ? projects.find(({ id }) => id === query.project)?.root : query.dir;
  const collections = useOperation(
    'list-collections',
    { dir: root ?? '' },
    { enabled: root !== undefined, fresh: true },
  );
  const [typed, setTyped] = useDebouncedText(query.text, (q) => onChange({ q }));
  const select = (
    label: string,
    key: 'status' | 'recipe' | 'project' | 'collection',
    options: readonly (readonly [string, string])[],
  ) => (
    <select
      className={choice.select}
      aria-label={label}
      value={query[key]}
      onChange={(event) =>
        onChange({ [key]: event.target.value, ...(key === 'project' ? { collection: '', dir: '' } : {}) })
      }
    >
      <option value="">{label}</option>
      {options.map(([value, title]) => (
        <option key={value} value={value}>
          {title}
        </option>
      ))}
    </select>
  );
  const box = (label: string, key: 'flagged' | 'hidden' | 'archived') => (
    <label className={styles.box}>
      <input type="checkbox" checked={query[key]} onChange={(event) => onChange({ [key]: event.target.checked })} />
      {label}
    </label>
  );
  const named = collections.data?.map(({ name }) => [name, name] as const) ?? [];
  const isMissing = query.collection !== '' && !named.some(([name]) => name === query.collection);
  return (
    <search className={styles.filters}>
      <input
        type="search"
        className={choice.input}
        placeholder="Title, id, recipe"
        aria-label="Title, id or recipe"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      {select(
        'Any status',
        'status',
        STATUSES.map((status) => [status, status]),
      )}
      {select(
        'All projects',
        'project',
        projects.map(({ id, name }) => [id, name]),
      )}
      {select(
        'Any recipe',
        'recipe',
        recipes.map((name) => [name, name]),
      )}
      {root === undefined && !isMissing
        ? null
        : select('Any collection', 'collection', isMissing ? [[query.collection, query.collection], ...named] : named)}
      {box('Flagged', 'flagged')}
      {box('Include hidden', 'hidden')}
      {box('Archived', 'archived')}
    </search>
  );
}
