import type { Caller } from '../../access/caller.ts';
import { startInBackground } from '../follow/detach.ts';
import type { Platform } from '../platform.ts';
import type { Action } from './action.ts';

/** Executes an action and returns the message to show; without an engine, a background process does it. */
export async function executeAction(platform: Platform, caller: Caller, action: Action): Promise<string> {
  if (caller.engine() !== 'none') return request(caller, action);
  if (action.kind === 'cancel' || action.kind === 'pause') {
    await using own = await platform.openCaller(platform.terminal.env);
    return await request(own, action);
  }
  await startInBackground(platform, argumentsOf(action), { passInput: false });
  return `${action.run} continues in the background.`;
}

async function request(caller: Caller, action: Action): Promise<string> {
  const { run } = action;
  switch (action.kind) {
    case 'approve':
      await caller.call('approve-run', { run, ...taskOf(action) });
      return 'Approved.';
    case 'retry':
      await caller.call('retry-run', { run, ...taskOf(action) });
      return `${action.task ?? run} is retried.`;
    case 'cancel':
      return `${run} is ${(await caller.call('cancel-run', { run })).status}. Its work is kept.`;
    case 'pause':
      await caller.call('pause-run', { run });
      return `${run} is paused; running attempts continue to their end. Press p to resume.`;
    case 'resume':
      await caller.call('resume-runs', { run });
      return `${run} is resumed.`;
    case 'land': {
      const { landed } = await caller.call('land-run', { run });
      return landed === null ? `${run} did not land.` : `${run} landed on ${landed.branch}.`;
    }
    case 'send':
      await caller.call('send-message', { run, task: action.task, message: action.message });
      return `Sent to ${action.task}.`;
  }
}

function taskOf({ task }: { task: string | null }): { task?: string } {
  return task === null ? {} : { task };
}

/** The command line of an action; the space keeps a message from being read as a file or standard input. */
function argumentsOf(action: Exclude<Action, { kind: 'cancel' | 'pause' }>): string[] {
  switch (action.kind) {
    case 'approve':
    case 'retry':
      return [action.kind, action.run, ...(action.task === null ? [] : [action.task]), '--background'];
    case 'resume':
    case 'land':
      return [action.kind, action.run, '--background'];
    case 'send':
      return [action.kind, '--background', '--', `${action.run}/${action.task}`, ` ${action.message}`];
  }
}
