import { mistakesFrom } from '../../ui/form/mistake.ts';

/** The field that a refusal is about, by its code. */
const FIELDS: Readonly<Record<string, string>> = {
  NOT_A_REPOSITORY: 'options.dir',
  REPOSITORY_EMPTY: 'options.dir',
  REPOSITORY_UNSUPPORTED: 'options.dir',
  AGENT_UNKNOWN: 'options.agents',
  AGENT_MISSING: 'options.agents',
  BRANCH_UNKNOWN: 'options.base',
  SCENARIO_INVALID: 'options.scenario',
  TEMPLATE_UNKNOWN: 'input.template',
  TEMPLATE_INVALID: 'input.template',
  ROLE_UNKNOWN: 'input.role',
  RUN_UNKNOWN: 'input.after',
};

type Refusal = { code: string; message: string; details: Readonly<Record<string, unknown>> };

/** What a refusal says, by the field that it is about; nothing where it is about none of those that are asked for. */
export function mistakesInRefusal(
  { code, message, details }: Refusal,
  asked: ReadonlySet<string>,
): Map<string, string> {
  const told = mistakesFrom(details.issues);
  if (told.size > 0) return told;
  const field = FIELDS[code];
  return field === undefined || !asked.has(field) ? new Map() : new Map([[field, message]]);
}
