import { isInterrupted } from '../../core/view/open-run.ts';
import { shellWord } from '../../core/view/shell-word.ts';
import { taskLabel } from '../../core/view/task-label.ts';
import { plannedTasks } from '../../recipes/todo/todo.ts';
import type { RunDocument } from '../../schema/document.ts';

/** A command to type, and what it is for. */
export type NextStep = { command: string; purpose: string };

/** The commands that are useful next, given the current state of the run. */
export function nextSteps(document: RunDocument): NextStep[] {
  const { run, status } = document;
  if (isInterrupted(document))
    return [{ command: `manyhands resume ${run}`, purpose: 'continue: no engine is running it' }];
  switch (status) {
    case 'done':
    case 'unverified':
      return [...resultSteps(document), { command: `manyhands logs ${run}`, purpose: 'show the output of the agents' }];
    case 'partial':
      return document.landed === null
        ? [{ command: `manyhands land ${run}`, purpose: 'land the tasks that succeeded' }, ...failureSteps(document)]
        : [...resultSteps(document), ...failureSteps(document)];
    case 'failed':
      return failureSteps(document);
    case 'cancelled':
    case 'cancelling':
      return [...salvageSteps(document), { command: `manyhands retry ${run}`, purpose: 'continue it anyway' }];
    case 'held':
    case 'blocked':
    case 'paused':
      return [{ command: `manyhands logs ${run}`, purpose: 'show the output of the agents and of failed checks' }];
    case 'running':
    case 'needs-rerun':
      return [
        ...attachSteps(document),
        { command: `manyhands wait ${run}`, purpose: 'watch it until it ends' },
        { command: `manyhands logs ${run} -f`, purpose: 'follow the output of the agents' },
      ];
  }
}

function attachSteps({ run, tasks }: RunDocument): NextStep[] {
  return tasks
    .filter(({ status, terminal }) => status === 'running' && terminal)
    .slice(0, 3)
    .map((task) => ({
      command: `manyhands attach ${run} ${shellWord(taskLabel(task))}`,
      purpose: 'open the terminal of the agent',
    }));
}

function resultSteps(document: RunDocument): NextStep[] {
  const { run, branch, base, landed, commit } = document;
  if (plannedTasks(document) !== undefined)
    return [{ command: `manyhands plan --run ${run} --output tasks.yaml`, purpose: 'write the tasks to a file' }];
  const { pullRequests = [] } = landed ?? {};
  if (pullRequests.length > 1)
    return [
      { command: `manyhands review --from-run ${run}`, purpose: `review the ${pullRequests.length} pull requests` },
    ];
  if (landed?.url) return [{ command: landed.url, purpose: 'the pull request' }];
  if (landed !== null && landed.how === 'merge') {
    return [
      { command: `git log --oneline ${short(base.commit)}..${shellWord(landed.branch)}`, purpose: 'show what landed' },
    ];
  }
  if (branch === null || commit === null) return [];
  const from = shellWord(base.branch ?? short(base.commit));
  if (document.rehearsal === true)
    return [
      {
        command: `git diff ${from}...${shellWord(branch)}`,
        purpose: 'show what the scripted agents wrote; do not land it',
      },
    ];
  return [
    { command: `git diff ${from}...${shellWord(branch)}`, purpose: 'show what changed' },
    ...(base.branch === null
      ? [{ command: `git merge ${shellWord(branch)}`, purpose: 'merge it into what you have checked out' }]
      : [
          { command: `manyhands land ${run}`, purpose: `fast-forward ${base.branch} to it, or` },
          { command: `git merge ${shellWord(branch)}`, purpose: 'merge it yourself' },
        ]),
  ];
}

/** A run that ended before its first attempt has no saved work. */
function salvageSteps({ run, tasks }: RunDocument): NextStep[] {
  const isAttempted = tasks.some(({ attempts }) => attempts > 0);
  return isAttempted ? [{ command: `manyhands salvage ${run}`, purpose: 'list the saved work' }] : [];
}

function failureSteps(document: RunDocument): NextStep[] {
  const { run, tasks } = document;
  if (tasks.length === 0) return [{ command: `manyhands logs ${run}`, purpose: 'show what went wrong' }];
  const failed = tasks.find(({ status }) => status === 'failed');
  return [
    {
      command: `manyhands logs ${run}${failed === undefined ? '' : ` --task ${shellWord(taskLabel(failed))}`}`,
      purpose: 'show what went wrong',
    },
    { command: `manyhands retry ${run}`, purpose: 'retry the failed tasks' },
    ...salvageSteps(document),
  ];
}

function short(commit: string): string {
  return commit.slice(0, 8);
}
