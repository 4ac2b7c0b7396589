import type { JobInput } from '../../schema/request.ts';

/** What an agent is told as its task: the guidelines first, then the task, then the context; each letter for letter. */
export function jobPrompt({ task, guidelines, context }: Pick<JobInput, 'task' | 'guidelines' | 'context'>): string {
  const facts = Object.entries(context).map(factText);
  return [
    ...(guidelines === undefined ? [task] : [`### Guidelines\n\n${guidelines}`, `### The task\n\n${task}`]),
    ...(facts.length === 0 ? [] : [`### Context\n\n${facts.join('\n\n')}`]),
  ].join('\n\n');
}

/** A value of several lines stands below its name, so that its lines stay whole. */
function factText([key, value]: [string, string]): string {
  return value.includes('\n') ? `${key}:\n${value}` : `${key}: ${value}`;
}
