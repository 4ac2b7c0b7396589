import type { FollowedReport } from '../../fleet.ts';
import type { OrderHolder } from './order-rows.ts';

/** An order with more reports that wait to be recorded gets no further ones, so that they wait in the database. */
const MOST_WAITING = { reports: 64, bytes: 1024 * 1024 };

/** An order that is followed, with the reports that were read and wait to be recorded. */
export class FollowedOrder {
  /** The process that has it; undefined before this was read, null if there is no such order. */
  holder: OrderHolder | null | undefined;
  /** Why nothing follows on the reports that are stored. */
  lost: string | undefined;
  readonly #onReady: () => void;
  readonly #waiting: { report: FollowedReport; bytes: number }[] = [];
  #waitingBytes = 0;
  #lastRead = 0;
  #isOver = false;
  #wake = () => {};

  /** `onReady` is called when it accepts reports again. */
  constructor(onReady: () => void) {
    this.#onReady = onReady;
  }

  /** The sequence of the last report that was read. */
  get lastRead(): number {
    return this.#lastRead;
  }

  /** Whether it accepts further reports. */
  get isReady(): boolean {
    return this.#waiting.length < MOST_WAITING.reports && this.#waitingBytes < MOST_WAITING.bytes;
  }

  deliver(report: FollowedReport, bytes = 0): void {
    if (report.kind === 'report') this.#lastRead = report.sequence;
    this.#waiting.push({ report, bytes });
    this.#waitingBytes += bytes;
    this.#wake();
  }

  /** Another leader continues: what follows is not for this process to record. */
  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  /** The reports as they are read, until the order is lost or ends, or the signal aborts. */
  async *reports(signal: AbortSignal): AsyncGenerator<FollowedReport> {
    const wake = () => this.#wake();
    signal.addEventListener('abort', wake);
    try {
      while (!signal.aborted && !this.#isOver) {
        const next = this.#take();
        if (next !== undefined) yield next;
        if (next?.kind === 'lost') return;
        if (next === undefined) await this.#change(signal);
      }
    } finally {
      signal.removeEventListener('abort', wake);
    }
  }

  #take(): FollowedReport | undefined {
    const wasReady = this.isReady;
    const next = this.#waiting.shift();
    this.#waitingBytes -= next?.bytes ?? 0;
    if (!wasReady && this.isReady) this.#onReady();
    return next?.report;
  }

  async #change(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (signal.aborted || this.#isOver || this.#waiting.length > 0) resolve();
    });
  }
}
