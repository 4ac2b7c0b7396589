import { promptText } from '../roles/prompt.ts';

/** The request for structured output to an agent without schema support; empty without a schema. */
export function outputRequest(schema: unknown): string {
  if (schema === undefined) return '';
  return promptText('roles/sections/output-request', { schema: JSON.stringify(schema) });
}
