import { z } from 'zod';
import { fromJSONSchema } from 'zod/v4';
import { messageOf } from '../errors.ts';
import type { GateSpec, Verdict } from '../schema/gate.ts';
import type { Gate, GateResult } from './gate.ts';

const SchemaObject = z.record(z.string(), z.unknown());

/** Passes when the structured output satisfies the role's JSON Schema; without a schema, when there is an output at all. */
export const handoffGate: Gate<Extract<GateSpec, { gate: 'handoff' }>> = {
  name: 'handoff',
  async check(_spec, input) {
    input.signal.throwIfAborted();
    return judgeOutput(input.output, input.outputSchema);
  },
};

/** Whether a structured output satisfies a JSON Schema, if there is one. */
export function judgeOutput(output: unknown, outputSchema: unknown): GateResult {
  if (output === undefined) return result('fail', 'There is no structured output');
  if (outputSchema === undefined) return result('pass', 'There is a structured output');
  const schema = readSchema(outputSchema);
  return typeof schema === 'string' ? result('error', schema) : judge(schema, output);
}

function readSchema(value: unknown): z.ZodType | string {
  const parsed = SchemaObject.safeParse(value);
  if (!parsed.success) return "The role's output schema is not an object";
  try {
    return fromJSONSchema(parsed.data);
  } catch (error) {
    return `The role's output schema cannot be used: ${messageOf(error)}`;
  }
}

function judge(schema: z.ZodType, output: unknown): GateResult {
  try {
    const parsed = schema.safeParse(output);
    if (parsed.success) return result('pass', 'The structured output is as the role asks');
    return {
      ...result('fail', 'The structured output is not as the role asks'),
      output: z.prettifyError(parsed.error),
    };
  } catch (error) {
    // An output nested deeper than the stack is no handoff.
    return result('fail', `The structured output cannot be read: ${messageOf(error)}`);
  }
}

function result(verdict: Verdict, summary: string): GateResult {
  return { verdict, summary, exitCode: null, setup: '', durationMs: 0 };
}
