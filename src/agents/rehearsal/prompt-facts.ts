import { listedPoints, type Point } from './listed-points.ts';

/** What the rehearsal program understands of a prompt: its first heading, the first line under `## Goal`, the steps to verify. */
export interface PromptFacts {
  title: string;
  goal: string;
  /** How many steps are to be verified. */
  steps: number;
  /** What a to-do list asks for. */
  points: Point[];
}

/** Reads them; a prompt without a heading has its first line as title, one without a goal has its title as goal. */
export function promptFacts(prompt: string): PromptFacts {
  const lines = prompt.split('\n').map((line) => line.trim());
  const title =
    lines
      .find((line) => line.startsWith('# '))
      ?.slice(2)
      .trim() ??
    lines.find((line) => line !== '') ??
    '';
  const heading = lines.indexOf('## Goal');
  const goal = heading < 0 ? undefined : lines.slice(heading + 1).find((line) => line !== '');
  const steps = lines.filter((line) => /^STEP \d+: /.test(line)).length;
  return { title, goal: goal ?? title, steps, points: listedPoints(prompt) };
}
