import { lastAttempt, type TaskState } from '../../core/run/state.ts';
import { AppError, messageOf } from '../../errors.ts';
import type { ToolsOwner } from '../attempt/attempt-tools.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import type { AttemptCommand, ToolCall } from './attempt-order.ts';

/** Answers the tool calls of an attempt on a host, each while others and the attempt continue; disposing ends them. */
export class CallAnswers implements Disposable {
  readonly #ctx: EngineContext;
  readonly #owner: ToolsOwner;
  readonly #send: (command: AttemptCommand) => Promise<void>;
  readonly #inFlight = new Map<number, AbortController>();

  constructor(
    ctx: EngineContext,
    run: ActiveRun,
    { task, id, send }: { task: TaskState; id: string; send: (command: AttemptCommand) => Promise<void> },
  ) {
    const { key, access } = task.spec;
    const attempt = lastAttempt(task)?.number ?? 0;
    this.#ctx = ctx;
    this.#owner = { id, run: run.id, task: key, attempt, access, folder: '' };
    this.#send = send;
  }

  /** Begins to answer a call; one that is being answered is not begun again. */
  begin(number: number, request: ToolCall): void {
    if (this.#inFlight.has(number)) return;
    const ended = new AbortController();
    this.#inFlight.set(number, ended);
    void this.#answer(request, ended.signal)
      .then((answer) => (ended.signal.aborted ? undefined : this.#send({ kind: 'answer', number, ...answer })))
      // Safe: it is sent until another server leads, which gets the call again.
      .catch(() => {})
      .finally(() => this.#inFlight.delete(number));
  }

  /** Ends a call whose answer nobody waits for. */
  end(number: number): void {
    this.#inFlight.get(number)?.abort();
  }

  [Symbol.dispose](): void {
    for (const ended of this.#inFlight.values()) ended.abort();
  }

  async #answer(request: ToolCall, signal: AbortSignal) {
    try {
      const { tools } = this.#ctx.coordination;
      if (tools?.call === undefined) throw new AppError('TOOL_REFUSED', 'This server offers no tools');
      return { value: await tools.call(this.#owner, request, signal) };
    } catch (error) {
      const [code, details] = error instanceof AppError ? [error.code, error.details] : ['INTERNAL', {}];
      return { error: { code, message: messageOf(error), details } };
    }
  }
}
