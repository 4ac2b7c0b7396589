import { dayText } from '../../../core/view/amounts.ts';
import type { OperationInput } from '../../../operations/all.ts';

/** The groupings of the usage table. */
export const GROUPINGS = [
  { value: 'agent', title: 'Agent' },
  { value: 'model', title: 'Model' },
  { value: 'project', title: 'Project' },
  { value: 'role', title: 'Role' },
  { value: 'day', title: 'Day' },
  { value: 'run', title: 'Run' },
] as const;
type Grouping = (typeof GROUPINGS)[number]['value'];

/** The measures of the plot; the default is cost if there is any. */
export const MEASURES = [
  { value: 'cost', title: 'Cost' },
  { value: 'tokens', title: 'Tokens' },
  { value: 'attempts', title: 'Attempts' },
] as const;
export type Measure = (typeof MEASURES)[number]['value'];

/** The time ranges; `all` has no start. */
export const RANGES = [
  { value: '7', title: '7 days' },
  { value: '30', title: '30 days' },
  { value: '90', title: '90 days' },
  { value: 'all', title: 'All' },
] as const;
export type RangeName = (typeof RANGES)[number]['value'] | 'own';

/** The query as the address contains it. */
export type UsageQuery = {
  by: Grouping;
  of: Measure | undefined;
  range: RangeName;
  since: string;
  until: string;
  project: string;
};

const DAY_MS = 86_400_000;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Parses the address; the default is the last thirty days by agent. Days are local days. */
export function usageQuery(params: URLSearchParams, now: number): UsageQuery {
  const by = GROUPINGS.find(({ value }) => value === params.get('by'))?.value ?? 'agent';
  const of = MEASURES.find(({ value }) => value === params.get('of'))?.value;
  const since = params.get('since') ?? '';
  const until = params.get('until') ?? '';
  const project = params.get('project') ?? '';
  if (DATE.test(since) || DATE.test(until)) return { by, of, range: 'own', since, until, project };
  const range = RANGES.find(({ value }) => value === params.get('range'))?.value ?? '30';
  const first = range === 'all' ? '' : dayText(now - (Number(range) - 1) * DAY_MS);
  return { by, of, range, since: first, until: '', project };
}

/** The request to the server. */
export function usageInput(query: UsageQuery, daily: boolean): OperationInput<'usage'> {
  const { by, since, until, project } = query;
  return {
    by,
    daily,
    ...(DATE.test(since) ? { since } : {}),
    ...(DATE.test(until) ? { until } : {}),
    ...(project === '' ? {} : { project }),
  };
}

/** Every day from the first to the last, including days without usage. */
export function daysBetween(first: string, last: string): string[] {
  const days: string[] = [];
  for (let at = Date.parse(first); at <= Date.parse(last) && days.length < 400; at += DAY_MS)
    days.push(new Date(at).toISOString().slice(0, 10));
  return days;
}
