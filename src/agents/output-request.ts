/** How an agent that knows no schemas is asked for output of one; nothing where none is wanted. */
export function outputRequest(schema: unknown): string {
  if (schema === undefined) return '';
  return `End with a message that is nothing but one JSON object that fits this JSON Schema:\n\n${JSON.stringify(schema)}`;
}
