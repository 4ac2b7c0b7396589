import type { OperationInput, OperationOutput } from '../../../operations/contracts.ts';

export type Template = OperationOutput<'list-templates'>['templates'][number];
type Saving = OperationInput<'save-template'>;

/** The fields of a template's header that a form asks for, besides its name. */
export const HEADER_SCHEMA = {
  type: 'object',
  properties: {
    summary: { type: 'string', minLength: 1, maxLength: 200, description: 'What it is for, in one line.' },
    text: {
      type: 'string',
      minLength: 1,
      maxLength: 100_000,
      description: 'Stands before the task as its guidelines.',
    },
    role: { type: 'string', pattern: '^[a-z][a-z0-9-]*$', description: 'The role to play.' },
    write: { type: 'boolean', description: 'Whether the role may change files.' },
    agent: { type: 'string', description: 'The agent to ask.' },
    tier: { type: 'string', enum: ['light', 'standard', 'heavy'], description: 'How strong a model.' },
    checks: { type: 'array', items: { type: 'string' }, description: 'Commands that must exit 0 on the result.' },
    budget: { type: 'number', exclusiveMinimum: 0, description: 'Most US dollars of a job.' },
    dir: { type: 'string', description: 'The folder that its jobs work in.' },
  },
  required: ['summary', 'text'],
} as const;

/** The values of the form for a template that there is. */
export function valuesOf(template: Template | undefined): Record<string, unknown> {
  if (template === undefined) return {};
  const { summary, text, role, write, agent, tier, checks, budget, dir } = template;
  const all = {
    summary,
    text,
    role,
    write: write || null,
    agent,
    tier,
    checks: checks.length === 0 ? null : checks,
    budget,
    dir,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
}

/** What is asked of the server to save a form; it checks it anew. */
export function savingOf(
  dir: string,
  name: string,
  values: Record<string, unknown>,
  how: { scope: string; replace: boolean },
): Saving;
export function savingOf(dir: string, name: string, values: Record<string, unknown>, how: object): unknown {
  const { text, ...header } = values;
  return { dir, name, text, header, ...how };
}
