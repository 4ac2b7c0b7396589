import type { Scenario, Script } from './scenario.ts';

/** The agent, role, task and number of a rehearsed attempt. */
export interface AttemptInfo {
  agent: string;
  role: string;
  task: string;
  title: string;
  attempt: number;
}

/** The first script whose conditions all match. */
export function findScript(scenario: Scenario, attempt: AttemptInfo): Script | undefined {
  return scenario.plays.find((script) => fits(script, attempt));
}

function fits(script: Script, attempt: AttemptInfo): boolean {
  return (
    script.role.some((role) => matches(role, attempt.role)) &&
    (script.task === undefined || matches(script.task, attempt.task)) &&
    (script.title === undefined || matches(script.title, attempt.title)) &&
    (script.agent === undefined || script.agent.some((name) => matches(name, attempt.agent))) &&
    (script.attempt === undefined || script.attempt === attempt.attempt)
  );
}

/** Whether a text matches a pattern in which `*` matches any text, in linear time. */
function matches(pattern: string, text: string): boolean {
  const [first = '', ...pieces] = pattern.split('*');
  const last = pieces.pop();
  if (last === undefined) return pattern === text;
  if (!text.startsWith(first)) return false;
  let cursor = first.length;
  for (const piece of pieces) {
    const found = text.indexOf(piece, cursor);
    if (found < 0) return false;
    cursor = found + piece.length;
  }
  return text.length - last.length >= cursor && text.endsWith(last);
}
