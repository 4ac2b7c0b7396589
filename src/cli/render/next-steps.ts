import { isInterrupted } from '../../core/view/run-status.ts';
import { plannedTasks } from '../../recipes/todo/todo.ts';
import type { RunDocument } from '../../schema/document.ts';

/** A command to type, and what it is for. */
export type NextStep = { command: string; purpose: string };

const SAFE_WORD = /^[\w./@:+-]+$/;

/** What a person would do next with the run as it stands, as commands to copy. */
export function nextSteps(document: RunDocument): NextStep[] {
  const { run, status } = document;
  if (isInterrupted(document))
    return [{ command: `manyhands resume ${run}`, purpose: 'go on: nobody works on it now' }];
  switch (status) {
    case 'done':
    case 'unverified':
      return [...resultSteps(document), { command: `manyhands logs ${run}`, purpose: 'what the agents said' }];
    case 'failed':
      return failureSteps(document);
    case 'cancelled':
    case 'cancelling':
      return [
        { command: `manyhands salvage ${run}`, purpose: 'everything that was made is kept' },
        { command: `manyhands retry ${run}`, purpose: 'go on after all' },
      ];
    case 'held':
    case 'blocked':
    case 'paused':
      return [{ command: `manyhands logs ${run}`, purpose: 'what the agents said' }];
    case 'running':
      return [
        ...attachSteps(document),
        { command: `manyhands wait ${run}`, purpose: 'watch it until it ends' },
        { command: `manyhands logs ${run} -f`, purpose: 'what the agents say' },
      ];
  }
}

function attachSteps({ run, tasks }: RunDocument): NextStep[] {
  return tasks
    .filter(({ status, terminal }) => status === 'running' && terminal)
    .slice(0, 3)
    .map(({ key }) => ({ command: `manyhands attach ${run} ${key}`, purpose: 'work with the agent in its terminal' }));
}

function resultSteps(document: RunDocument): NextStep[] {
  const { run, branch, base, landed, commit } = document;
  if (plannedTasks(document) !== undefined)
    return [{ command: `manyhands plan --run ${run} --output tasks.yaml`, purpose: 'the tasks as a file' }];
  if (landed?.url) return [{ command: landed.url, purpose: 'the pull request' }];
  if (landed !== null && landed.how === 'merge') {
    return [{ command: `git log --oneline ${short(base.commit)}..${quote(landed.branch)}`, purpose: 'what landed' }];
  }
  if (branch === null || commit === null) return [];
  const from = quote(base.branch ?? base.commit);
  return [
    { command: `git diff ${from}...${quote(branch)}`, purpose: 'what changed' },
    { command: `git merge ${quote(branch)}`, purpose: 'take it yourself, or' },
    { command: `manyhands land ${run}`, purpose: 'fast-forward the base to it' },
  ];
}

function failureSteps({ run, tasks }: RunDocument): NextStep[] {
  const failed = tasks.find(({ status }) => status === 'failed');
  return [
    {
      command: `manyhands logs ${run}${failed === undefined ? '' : ` --task ${failed.key}`}`,
      purpose: 'what went wrong',
    },
    { command: `manyhands retry ${run}`, purpose: 'try the failed tasks again' },
    { command: `manyhands salvage ${run}`, purpose: 'everything that was made is kept' },
  ];
}

function short(commit: string): string {
  return commit.slice(0, 8);
}

/** Branch names may hold what a shell acts on. */
function quote(word: string): string {
  return SAFE_WORD.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
