import type { Caller } from '../../access/caller.ts';
import type { RunDocument } from '../../schema/document.ts';
import type { Platform } from '../platform.ts';
import { cleanText } from '../render/clean-text.ts';

const END = { id: 'end', label: 'end the run' };

/** Asks on a terminal for the answer to a hold of the whole run that has options; returns whether the run was answered. */
export async function answerHold(
  { platform, caller, dir }: { platform: Platform; caller: Caller; dir: string },
  { run, attention }: RunDocument,
): Promise<boolean> {
  const held = attention.find(({ task, options }) => task === null && options !== undefined);
  if (held?.options === undefined || held.hold === undefined) return false;
  const questions = await platform.questions();
  if (questions === undefined) return false;
  const { hold } = held;
  const options = [...held.options, END];
  platform.terminal.err(`${cleanText(held.reason)}\n`);
  const list = options.map(({ id, label }) => `${id} (${label})`).join(', ');
  for (;;) {
    const answer = await questions.text(`Choose one of: ${cleanText(list)}`, options[0]?.id ?? END.id);
    if (answer === null) return false;
    if (!options.some(({ id }) => id === answer)) continue;
    if (answer === END.id) await caller.call('reject-run', { dir, run, hold, reason: 'ended by the user' });
    else await caller.call('approve-run', { dir, run, hold, option: answer });
    return true;
  }
}
