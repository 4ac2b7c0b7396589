import type { Caller } from '../../access/caller.ts';
import { startInBackground } from '../follow/detach.ts';
import type { Platform } from '../platform.ts';
import type { Action } from './action.ts';

/** Does what was asked for and gives what to say about it; where there is no engine, a process in the background does it. */
export async function execute(platform: Platform, caller: Caller, deed: Action): Promise<string> {
  if (caller.engine() !== 'none') return ask(caller, deed);
  if (deed.kind === 'cancel' || deed.kind === 'pause') {
    await using own = await platform.openCaller(platform.terminal.env);
    return await ask(own, deed);
  }
  await startInBackground(platform, argumentsOf(deed), { passInput: false });
  return `${deed.run} goes on in the background.`;
}

async function ask(caller: Caller, deed: Action): Promise<string> {
  const { run } = deed;
  switch (deed.kind) {
    case 'approve':
      await caller.call('approve-run', { run, ...taskOf(deed) });
      return 'Approved.';
    case 'retry':
      await caller.call('retry-run', { run, ...taskOf(deed) });
      return `${deed.task ?? run} is tried again.`;
    case 'cancel':
      return `${run} is ${(await caller.call('cancel-run', { run })).status}. Everything it made is kept.`;
    case 'pause':
      await caller.call('pause-run', { run });
      return `${run} starts nothing more; what runs goes on to its end. p goes on with it.`;
    case 'resume':
      await caller.call('resume-runs', { run });
      return `${run} goes on.`;
    case 'land': {
      const { landed } = await caller.call('land-run', { run });
      return landed === null ? `${run} did not land.` : `${run} landed on ${landed.branch}.`;
    }
    case 'send':
      await caller.call('send-message', { run, task: deed.task, message: deed.message });
      return `Sent to ${deed.task}.`;
  }
}

function taskOf({ task }: { task: string | null }): { task?: string } {
  return task === null ? {} : { task };
}

/** The command that does the same; the blank keeps a message from being taken for a file or standard input. */
function argumentsOf(deed: Exclude<Action, { kind: 'cancel' | 'pause' }>): string[] {
  switch (deed.kind) {
    case 'approve':
    case 'retry':
      return [deed.kind, deed.run, ...(deed.task === null ? [] : [deed.task]), '--background'];
    case 'resume':
    case 'land':
      return [deed.kind, deed.run, '--background'];
    case 'send':
      return [deed.kind, '--background', '--', `${deed.run}/${deed.task}`, ` ${deed.message}`];
  }
}
