import type { OperationInput } from '../../../operations/contracts.ts';
import { entriesOf } from '../../ui/form/field.ts';

type Starting = OperationInput<'start-batch'>;

const OWN = ['from', 'parallel', 'collection'];

/** What can be said when a batch is started. */
export const START_ENTRIES = entriesOf({
  type: 'object',
  properties: {
    rehearse: {
      type: 'boolean',
      default: false,
      description: 'Play a scenario instead of asking a model: costs nothing.',
    },
    parallel: { type: 'integer', minimum: 1, maximum: 50, description: 'Jobs at once, whatever the batch says.' },
    from: { type: 'integer', minimum: 1, default: 1, description: 'The item to begin with.' },
    collection: { type: 'string', description: 'Where its runs are filed; by default a new collection.' },
    agents: {
      type: 'array',
      items: { type: 'string' },
      description: 'Agents: a name, role=name, or command:<program>.',
    },
    checks: { type: 'array', items: { type: 'string' }, description: 'Commands that must exit 0 on each result.' },
    budget: { type: 'number', exclusiveMinimum: 0, description: 'Most US dollars of a job.' },
  },
});

/** What is asked of the server; it checks it anew. */
export function startingOf(dir: string, name: string, values: Record<string, unknown>): Starting;
export function startingOf(dir: string, name: string, values: Record<string, unknown>): unknown {
  const entries = Object.entries(values);
  const own = Object.fromEntries(entries.filter(([key]) => OWN.includes(key)));
  return { dir, name, ...own, options: Object.fromEntries(entries.filter(([key]) => !OWN.includes(key))) };
}
