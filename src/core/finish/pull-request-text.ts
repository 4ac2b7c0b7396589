import type { PrText } from '../../schema/call.ts';
import { lastAttempt, type RunState } from '../run/state.ts';

/** What a pull request states about a run: the request, what landed, and the results of its checks on that tree. */
export type PrFacts = {
  title: string;
  goal: string;
  run: string;
  tasks: { title: string; summary: string }[];
  checks: { name: string; verdict: string }[];
};

const TITLE_CHARS = 72;
const SUMMARY_CHARS = 200;
const GOAL_CHARS = 4_000;
/** More are counted, not listed. */
const MAX_TASKS = 50;

/** The current facts of a run; only tasks whose work landed are named. */
export function prFacts(state: RunState): PrFacts {
  const { start, tip } = state;
  const { input } = start;
  const fields = typeof input === 'object' && input !== null ? input : {};
  const goal = 'goal' in fields ? fields.goal : 'task' in fields ? fields.task : start.title;
  return {
    title: start.title,
    goal: typeof goal === 'string' ? goal : start.title,
    run: start.run,
    tasks: state.order.flatMap((key) => {
      const task = state.tasks[key];
      if (task?.phase.status !== 'done' || task.phase.commit === null) return [];
      return [{ title: task.spec.title, summary: firstLine(lastAttempt(task)?.ended?.summary ?? '') }];
    }),
    checks: Object.values(state.proven)
      .filter(({ tree }) => tree === tip.tree)
      .map(({ gate, verdict }) => ({ name: gate, verdict })),
  };
}

/** The text of a pull request from facts alone. */
export function prText(facts: PrFacts): PrText {
  const listed = facts.tasks.slice(0, MAX_TASKS);
  const left = facts.tasks.length - listed.length;
  const sections = [
    facts.goal.trim().slice(0, GOAL_CHARS),
    ...(listed.length === 0
      ? []
      : [
          '## What changed',
          [
            ...listed.map(({ title, summary }) => `- ${title}${summary === '' ? '' : `: ${summary}`}`),
            ...(left > 0 ? [`- and ${left} more`] : []),
          ].join('\n'),
        ]),
    '## Checks',
    facts.checks.length === 0
      ? 'No check ran on this tree.'
      : facts.checks.map(({ name, verdict }) => `- \`${name.replaceAll('`', "'")}\`: ${verdict}`).join('\n'),
    `Created by Manyhands, run ${facts.run}.`,
  ];
  return { title: shortTitle(facts.title), body: sections.join('\n\n') };
}

function shortTitle(title: string): string {
  const line = title.replace(/\s+/g, ' ').trim() || 'Changes';
  return line.length <= TITLE_CHARS ? line : `${line.slice(0, TITLE_CHARS - 1).trimEnd()}…`;
}

function firstLine(text: string): string {
  return (text.trim().split('\n')[0] ?? '').slice(0, SUMMARY_CHARS);
}
