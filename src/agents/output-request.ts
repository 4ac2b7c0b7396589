import { promptText } from '../roles/prompt.ts';
/** How an agent that knows no schemas is asked for output of one; nothing where none is wanted. */
export function outputRequest(schema: unknown): string {
  if (schema === undefined) return '';
  return promptText('roles/sections/output-request', { schema: JSON.stringify(schema) });
}
