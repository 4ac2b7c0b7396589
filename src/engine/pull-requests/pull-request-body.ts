import { verdictOf } from '../../core/finish/verdict.ts';
import { flagsOf, lastAttempt, type RunState, type TaskState } from '../../core/run/state.ts';
import { costOf, costText } from '../../core/view/cost-text.ts';
import { taskCost, unknownOf } from '../../core/view/task-cost.ts';
import { taskLabel } from '../../core/view/task-label.ts';
import type { Evidence } from '../../schema/gate.ts';

/** The input of a pull request's text. */
export type PullRequestFacts = {
  state: RunState;
  /** The one task whose work it contains, if each task has its own pull request. */
  task?: TaskState;
  branch: string;
  remote: string;
  /** A model's description of the change, if there is one. */
  prose?: string;
  /** Branches with the work of tasks that failed. */
  failed: readonly { key: string; branch: string }[];
  now: number;
};

const GOAL_CHARS = 4_000;
const LINE_CHARS = 300;
const MAX_LINES = 60;
/** Hosts allow between 32 and 64 thousand characters. */
const BODY_CHARS = 30_000;

/** The text of a pull request: the request, the work, the results of the checks, the risks, the cost. */
export function pullRequestBody(facts: PullRequestFacts): string {
  const { state, task, prose } = facts;
  const sections = [
    ...(prose === undefined ? [] : [section('Summary', [neutralized(prose)])]),
    section('Request', quoted(requestOf(state, task))),
    section('Changes', doneLines(facts)),
    section('Checks', checkLines(state)),
    section('Risks', riskLines(state, task)),
    section('Cost', [costLine(facts)]),
    section('Check it out', checkoutLines(facts)),
    `Created by Manyhands, run ${state.start.run}.`,
  ];
  const text = sections.filter((part) => part !== '').join('\n\n');
  return text.length <= BODY_CHARS ? text : `${text.slice(0, BODY_CHARS)}\n\n(shortened)`;
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `## ${title}\n\n${lines.join('\n')}`;
}

function requestOf({ start }: RunState, task: TaskState | undefined): string {
  if (task !== undefined) return task.spec.prompt;
  const input = typeof start.input === 'object' && start.input !== null ? start.input : {};
  const text = 'goal' in input ? input.goal : 'task' in input ? input.task : undefined;
  return typeof text === 'string' ? text : start.title;
}

/** The text of a person is not changed, but cannot break out of the quotation. */
function quoted(text: string): string[] {
  const plain = withoutControls(text).trim().slice(0, GOAL_CHARS);
  return plain.split('\n').map((line) => `> ${line}`.trimEnd());
}

function doneLines({ state, task, failed }: PullRequestFacts): string[] {
  const keys = task === undefined ? state.order : [task.spec.key];
  const lines = keys.flatMap((key) => {
    const found = state.tasks[key];
    if (found === undefined || found.spec.access === 'read' || found.spec.resolves !== undefined) return [];
    const branch = failed.find((work) => work.key === key)?.branch;
    return [taskLine(found, branch)];
  });
  const left = lines.length - MAX_LINES;
  return left > 0 ? [...lines.slice(0, MAX_LINES), `- and ${left} more`] : lines;
}

function taskLine(task: TaskState, branch: string | undefined): string {
  const { phase, spec } = task;
  const name = `\`${spec.key}\` ${plainText(spec.title)}`;
  if (phase.status === 'done') {
    const summary = plainText(lastAttempt(task)?.ended?.summary.trim().split('\n')[0] ?? '');
    return `- ${name}${summary === '' ? '' : `: ${summary}`}`;
  }
  const reason = 'reason' in phase ? `: ${plainText(phase.reason)}` : '';
  return `- **${phase.status}** ${name}${reason}${branch === undefined ? '' : ` (its work: \`${branch}\`)`}`;
}

function checkLines(state: RunState): string[] {
  const found = new Map<string, Evidence>();
  for (const evidence of [...(state.baseEvidence ?? []), ...Object.values(state.proven)])
    if (evidence.tree === state.tip.tree) found.set(evidence.gate, evidence);
  const isChecked = verdictOf(state).status !== 'unverified';
  const warning = isChecked && found.size > 0 ? [] : ['No check ran on this tree: the result is **unverified**.'];
  if (found.size === 0) return warning;
  const rows = [...found.values()].map(
    ({ gate, verdict, summary }) =>
      `| \`${plainText(gate).replaceAll('`', "'")}\` | ${verdict} | ${plainText(summary)} |`,
  );
  const tree = (state.tip.tree ?? '').slice(0, 10);
  return [
    ...warning,
    `Run by Manyhands in a clean checkout, on tree \`${tree}\`.`,
    '',
    '| check | verdict | |',
    '|---|---|---|',
    ...rows,
  ];
}

function riskLines(state: RunState, only: TaskState | undefined): string[] {
  const tasks = only === undefined ? state.order.flatMap((key) => state.tasks[key] ?? []) : [only];
  const flags = tasks.flatMap((task) =>
    flagsOf(task).map(({ detail }) => `- \`${taskLabel(task.spec)}\` ${plainText(detail)}`),
  );
  return [...new Set(flags)].slice(0, MAX_LINES);
}

function costLine({ state, task, now }: PullRequestFacts): string {
  const attempts = task === undefined ? state.attempts : task.attempts.length;
  const cost =
    task === undefined ? costOf(state) : { cost: taskCost(task).costUsd, unknownUsage: unknownOf(task.attempts) };
  const minutes = Math.max(1, Math.round((now - state.startedAt) / 60_000));
  return `${costText(cost)}, ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}, ${minutes} min.`;
}

function checkoutLines({ branch, remote, task }: PullRequestFacts): string[] {
  const needs = task?.spec.needs ?? [];
  const after = needs.length === 0 ? [] : ['', `It depends on ${needs.map((key) => `\`${key}\``).join(', ')}.`];
  return ['```sh', `git fetch ${remote} ${branch}`, 'git switch --detach FETCH_HEAD', '```', ...after];
}

/** One line of an agent's text, without Markdown, mentions, or keywords that close issues. */
export function plainText(text: string): string {
  const line = withoutControls(text).replace(/\s+/g, ' ').trim();
  const short = line.length <= LINE_CHARS ? line : `${line.slice(0, LINE_CHARS - 1)}…`;
  return neutralized(short).replace(/[\\`*_[\]|~]/g, '\\$&');
}

/** Text that may be Markdown, but without mentions, issue references or HTML. */
function neutralized(text: string): string {
  return withoutControls(text)
    .replaceAll('<', '&lt;')
    .replace(/([@#!])(?=\w)/g, '$1\u200b')
    .replace(/\b(GH-)(?=\d)/gi, '$1\u200b')
    .replaceAll('://', ':\u200b//');
}

function withoutControls(text: string): string {
  return text.replace(/(?![\t\n])\p{Cc}|[\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '');
}
