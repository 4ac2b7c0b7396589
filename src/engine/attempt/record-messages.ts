import { messagesFor, messageText } from '../../core/attempt/message.ts';
import type { AttemptState, TaskState } from '../../core/run/state.ts';
import { attemptId } from '../../schema/ids.ts';
import type { TranscriptRow } from '../../store/store.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import { ENGINE_GENERATIONS } from './engine-rows.ts';

/** Puts what a person said at the head of the transcript of the attempt that is told it. */
export async function recordMessages(
  ctx: EngineContext,
  run: ActiveRun,
  { task, attempt }: { task: TaskState; attempt: AttemptState },
): Promise<void> {
  const messages = messagesFor(task, attempt);
  if (messages.length === 0) return;
  const name = attemptId(run.id, task.ordinal, attempt.number);
  const rows = messages.map((message, index): TranscriptRow => {
    const text = run.redact(messageText(message));
    const data = { id: message.id };
    const position = { file: 'engine', generation: ENGINE_GENERATIONS.messages, offset: index + 1 } as const;
    return { attempt: name, ...position, at: ctx.world.now(), kind: 'message', text, data };
  });
  await ctx.store.ingest({ attempt: name, rows, cursors: [] });
}
