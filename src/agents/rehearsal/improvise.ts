import type { Access } from '../../schema/task.ts';
import type { Step } from '../scenario-step.ts';
import type { Cast } from './cast.ts';
import { minimalValue } from './minimal-value.ts';

/** What an attempt without a play is known by. */
export interface Part extends Cast {
  goal: string;
  access: Access;
  outputSchema?: unknown;
}

const LONGEST_GOAL = 80;

/** What an agent does when no play fits: enough for its role that any recipe comes to its end on any repository. */
export function improvise(part: Part): Step[] {
  if (part.role === 'plan') return plan(part.goal);
  if (part.role === 'resolve') return [{ step: 'resolve', how: 'union' }, say('Kept both sides of every conflict.')];
  const text = `Rehearsed ${part.role} of ${part.task}: ${part.title}`;
  const steps: Step[] = part.access === 'write' ? [ownFile(part)] : [];
  if (part.outputSchema !== undefined) steps.push({ step: 'output', output: minimalValue(part.outputSchema, text) });
  return [...steps, say(text)];
}

function plan(goal: string): Step[] {
  const about = goal.length > LONGEST_GOAL ? `${goal.slice(0, LONGEST_GOAL)}…` : goal;
  const task = (id: string, title: string, needs: string[]) => ({
    id,
    title: `${title}: ${about}`,
    description: `Rehearse this part of the goal: ${goal}`,
    needs,
  });
  const tasks = [
    task('first', 'First part', []),
    task('second', 'Second part', []),
    task('together', 'Bring both parts together', ['first', 'second']),
  ];
  return [
    { step: 'output', output: { tasks, summary: `Three rehearsed tasks for: ${about}` } },
    say('Planned three tasks.'),
  ];
}

/** A file that no other task writes, so that improvised work never conflicts. */
function ownFile(part: Part): Step {
  const path = `rehearsal/${part.task.replaceAll('/', '-')}.md`;
  return { step: 'edit', edit: { path, append: `- ${part.role}, attempt ${part.attempt}: ${part.title}\n` } };
}

function say(text: string): Step {
  return { step: 'say', text };
}
