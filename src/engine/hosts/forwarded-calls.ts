import { AppError } from '../../errors.ts';
import type { ToolAnswer, ToolCall } from './attempt-order.ts';

type Pending = PromiseWithResolvers<unknown> & { request: ToolCall };
type Revive = (error: NonNullable<ToolAnswer['error']>) => Error;
type Send = (order: string, body: unknown) => Promise<void>;

/** Calls of tools by the agents of this host: reported to the leader, and answered by it or by the next one. */
export class ForwardedCalls {
  readonly #pending = new Map<string, Map<number, Pending>>();
  readonly #revive: Revive;
  #number = 0;
  #send: Send = () => Promise.reject(new AppError('INTERNAL', 'The host does not report yet'));

  /** `revive` makes the error of a tool from what the leader sent. */
  constructor(revive: Revive) {
    this.#revive = revive;
  }

  /** Sets how calls are reported. */
  connect(send: Send): void {
    this.#send = send;
  }

  /** Resolves or rejects as the tool does; rejects with ENGINE_GONE where the order or the lease has ended. */
  async call(order: string, request: ToolCall, signal: AbortSignal): Promise<unknown> {
    this.#number += 1;
    const number = this.#number;
    const pending: Pending = { ...Promise.withResolvers<unknown>(), request };
    const calls = this.#pending.get(order) ?? new Map<number, Pending>();
    this.#pending.set(order, calls.set(number, pending));
    const onAbort = () => {
      pending.reject(signal.reason);
      // Safe: a call whose end is not known to the leader ends with the attempt.
      this.#send(order, { kind: 'call-ended', number }).catch(() => {});
    };
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      this.#report(order, number, pending);
      return await pending.promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
      calls.delete(number);
    }
  }

  answer(order: string, { number, value, error }: Omit<ToolAnswer, 'kind'>): void {
    const pending = this.#pending.get(order)?.get(number);
    if (error === undefined) pending?.resolve(value);
    else pending?.reject(this.#revive(error));
  }

  /** Reports the calls of an order that are not answered again: the leader that had them is gone. */
  repeat(order: string): void {
    for (const [number, pending] of this.#pending.get(order) ?? []) this.#report(order, number, pending);
  }

  /** Ends the calls of an order that has ended. */
  forget(order: string): void {
    for (const { reject } of this.#pending.get(order)?.values() ?? [])
      reject(new AppError('TOOL_REFUSED', 'The attempt has ended, and its tools with it'));
    this.#pending.delete(order);
  }

  #report(order: string, number: number, { request, reject }: Pending): void {
    this.#send(order, { kind: 'call', number, request }).catch(reject);
  }
}
