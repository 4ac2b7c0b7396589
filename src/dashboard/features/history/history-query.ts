import type { OperationInput } from '../../../operations/all.ts';

/** The filters as the address contains them. */
export type HistoryQuery = {
  status: string;
  recipe: string;
  project: string;
  text: string;
  collection: string;
  dir: string;
  flagged: boolean;
  hidden: boolean;
  archived: boolean;
};

/** The run statuses that can be filtered by. */
export const STATUSES = [
  'running',
  'held',
  'blocked',
  'paused',
  'done',
  'unverified',
  'partial',
  'failed',
  'cancelled',
] as const;

export const PAGE = 50;

export function historyQuery(params: URLSearchParams): HistoryQuery {
  const text = (key: string) => params.get(key) ?? '';
  const isOn = (key: string) => params.get(key) === 'yes';
  return {
    status: STATUSES.find((status) => status === params.get('status')) ?? '',
    recipe: text('recipe'),
    project: text('project'),
    text: text('q'),
    collection: text('collection'),
    dir: text('dir'),
    flagged: isOn('flagged'),
    hidden: isOn('hidden'),
    archived: isOn('archived'),
  };
}

/** The request for the runs before a given one. */
export function historyInput(query: HistoryQuery, before: string | undefined): OperationInput<'list-runs'> {
  const status = STATUSES.find((each) => each === query.status);
  // The server's text search covers the recipe too; matches elsewhere are filtered out by useHistory.
  const words = `${query.text} ${query.recipe}`.trim();
  return {
    limit: PAGE,
    ...(status === undefined ? {} : { status: [status] }),
    ...(query.project === '' ? {} : { project: query.project }),
    ...(words === '' ? {} : { text: words }),
    ...(query.collection === '' ? {} : { collection: query.collection }),
    ...(query.dir === '' ? {} : { dir: query.dir }),
    ...(query.flagged ? { flagged: true } : {}),
    ...(query.hidden ? { hidden: true } : {}),
    ...(query.archived ? { archived: true } : {}),
    ...(before === undefined ? {} : { before }),
  };
}

/** The address with changed filters; empty ones are removed. */
export function withFilter(
  params: URLSearchParams,
  change: Readonly<Record<string, string | boolean>>,
): URLSearchParams {
  const next = new URLSearchParams(params);
  for (const [key, value] of Object.entries(change)) {
    if (value === '' || value === false) next.delete(key);
    else next.set(key, value === true ? 'yes' : value);
  }
  return next;
}
