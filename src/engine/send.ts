import { type SendMessage, sendMessage } from '../core/decide/message.ts';
import { crashpoint } from '../world.ts';
import type { ActiveRun, EngineContext } from './context.ts';

/** Puts a message on record; what it breaks off or begins follows from the record, also after a crash. */
export async function send(ctx: EngineContext, run: ActiveRun, message: Omit<SendMessage, 'now'>): Promise<void> {
  crashpoint('message.sending');
  await ctx.submit(run, (state) => sendMessage(state, { ...message, now: ctx.world.now() })).committed;
  crashpoint('message.sent');
}
