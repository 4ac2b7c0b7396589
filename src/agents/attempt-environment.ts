import type { Assignment } from './agent.ts';

/** The whole environment of an attempt's program: what the engine allows, what the user configured, and the attempt's identity. */
export function attemptEnvironment(assignment: Assignment, configured: Record<string, string>): Record<string, string> {
  return {
    ...assignment.env,
    ...configured,
    MANYHANDS_PROMPT_FILE: assignment.promptFile,
    MANYHANDS_TASK: assignment.task,
    MANYHANDS_ROLE: assignment.role,
    MANYHANDS_ATTEMPT: assignment.attempt,
    MANYHANDS_ATTEMPT_NUMBER: String(assignment.number),
    MANYHANDS_WORKSPACE: assignment.workspace,
    MANYHANDS_RUN: assignment.run,
  };
}
