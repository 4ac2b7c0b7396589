import { z } from 'zod';
import { promptText } from '../../roles/prompt.ts';
import type { CallKind } from '../../schema/call.ts';

/** A question to a model: a text to judge, and the schema of the answer. */
export type Question = { kind: CallKind; text: string; schema: z.ZodType };

/** The instruction that precedes the text in a small call of this kind. */
export function instructionFor(kind: CallKind): string {
  return promptText(`roles/small-calls/${kind}`, {});
}

/** The answer's form as a JSON Schema that every vendor accepts; lengths are checked when the answer is there. */
export function jsonSchemaOf(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...plain } = z.toJSONSchema(schema, {
    override: ({ jsonSchema }) => {
      delete jsonSchema.minLength;
      delete jsonSchema.maxLength;
    },
  });
  return plain;
}
