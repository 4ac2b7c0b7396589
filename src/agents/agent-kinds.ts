/** Whether agents of this kind are simulated: no model answers, so their results are no evidence about an agent. */
export function isSimulated(kind: string | null | undefined): boolean {
  return kind === 'rehearsal';
}

/** Whether agents of this kind are a program of the user, which only the user can fix. */
export function isUserProgram(kind: string | null | undefined): boolean {
  return kind === 'command';
}

/** The agent that a role prefers where the user set no order and all preferred agents are available. */
export const PREFERRED_BY_ROLE: ReadonlyMap<string, string> = new Map([
  ...['plan', 'review', 'analyze', 'verify'].map((role) => [role, 'claude'] as const),
  ...['implement', 'fix', 'repair', 'resolve'].map((role) => [role, 'codex'] as const),
]);
