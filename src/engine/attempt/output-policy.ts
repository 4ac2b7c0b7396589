import type { AgentEvent } from '../../agents/agent.ts';
import type { TaskLimits } from '../../schema/task.ts';

/** The most text of one attempt that is kept, whatever the settings say; the rest is counted. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;
/** What is kept of an attempt with `finalOnly`. */
const FINAL: ReadonlySet<AgentEvent['type']> = new Set<AgentEvent['type']>([
  'session',
  'usage',
  'result',
  'question',
  'permission-denied',
]);

/** Decides what of an attempt's output is kept; its final message always is. */
export class OutputPolicy<Row> {
  #readBytes = 0;
  #dropped = 0;
  #hasResult = false;
  #last: { row: Row; isResult: boolean } | undefined;
  readonly #maxBytes: number;
  readonly #finalOnly: boolean;

  constructor({ outputBytes, output }: Pick<TaskLimits, 'outputBytes' | 'output'>) {
    this.#maxBytes = output?.onMax === 'truncate' ? Math.min(outputBytes, MAX_KEPT_BYTES) : MAX_KEPT_BYTES;
    this.#finalOnly = output?.finalOnly === true;
  }

  /** How many bytes were dropped. */
  get dropped(): number {
    return this.#dropped;
  }

  /** The final message, if it was dropped when it was read. */
  get finalMessage(): Row | undefined {
    return this.#last !== undefined && (this.#last.isResult || !this.#hasResult) ? this.#last.row : undefined;
  }

  /** Which of a line's events are kept. */
  keep(bytes: number, items: readonly { event: AgentEvent; row: Row }[]): Row[] {
    this.#readBytes += bytes;
    const isFull = this.#readBytes > this.#maxBytes;
    const kept: Row[] = [];
    for (const each of items) {
      const isKept = !isFull && (!this.#finalOnly || FINAL.has(each.event.type));
      if (isKept) kept.push(each.row);
      this.#noteLast(each, isKept);
    }
    if (kept.length < items.length) this.#dropped += bytes;
    return kept;
  }

  #noteLast({ event, row }: { event: AgentEvent; row: Row }, isKept: boolean): void {
    const isResult = event.type === 'result';
    if (isResult && isKept) {
      this.#hasResult = true;
      this.#last = undefined;
    } else if (!isKept && (isResult || (event.type === 'text' && this.#last?.isResult !== true))) {
      this.#last = { row, isResult };
    }
  }
}
