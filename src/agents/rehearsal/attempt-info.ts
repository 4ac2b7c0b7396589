import type { Play, Scenario } from './scenario.ts';

/** Who plays, in which attempt. */
export interface Cast {
  agent: string;
  role: string;
  task: string;
  title: string;
  attempt: number;
}

/** The first play whose conditions all hold. */
export function findPlay(scenario: Scenario, cast: Cast): Play | undefined {
  return scenario.plays.find((play) => fits(play, cast));
}

function fits(play: Play, cast: Cast): boolean {
  return (
    play.role.some((role) => matches(role, cast.role)) &&
    (play.task === undefined || matches(play.task, cast.task)) &&
    (play.title === undefined || matches(play.title, cast.title)) &&
    (play.agent === undefined || play.agent.some((name) => matches(name, cast.agent))) &&
    (play.attempt === undefined || play.attempt === cast.attempt)
  );
}

/** Whether a text has the form of a pattern in which `*` stands for any text; done piece by piece, so never slow. */
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
