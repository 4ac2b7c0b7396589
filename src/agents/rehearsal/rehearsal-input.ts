import { z } from 'zod';
import { Access } from '../../schema/task.ts';
import type { Assignment } from '../agent.ts';
import { EVENT_LINES } from '../event-line.ts';

/** The variable that holds the program's input. */
export const INPUT_VARIABLE = 'MANYHANDS_REHEARSAL';

/** The rehearsal program's input in addition to every agent's environment. */
export const RehearsalInput = z.object({
  agent: z.string(),
  scenario: z.string().optional(),
  access: Access,
  session: z.string().optional(),
  outputSchema: z.unknown().optional(),
  /** Where it may write; empty means anywhere. */
  allow: z.array(z.string()).default([]),
});
export type RehearsalInput = z.output<typeof RehearsalInput>;

/** The input for one attempt. */
export function rehearsalInput(options: {
  agent: string;
  scenario: string | undefined;
  assignment: Assignment;
}): RehearsalInput {
  const { agent, scenario, assignment } = options;
  return {
    agent,
    access: assignment.access,
    allow: [...(assignment.scopes?.find(({ allow }) => allow.length > 0)?.allow ?? [])],
    ...(scenario === undefined ? {} : { scenario }),
    ...(assignment.session === undefined ? {} : { session: assignment.session }),
    ...(assignment.outputSchema === undefined ? {} : { outputSchema: assignment.outputSchema }),
  };
}

/** The output of the rehearsal program, one JSON object per line; a result is always a success. */
export const RehearsalLine = z.discriminatedUnion('type', [
  ...EVENT_LINES,
  z.object({ type: z.literal('result'), isError: z.literal(false), text: z.string(), output: z.unknown().optional() }),
]);
export type RehearsalLine = z.infer<typeof RehearsalLine>;
