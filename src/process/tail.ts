import { closeSync, fstatSync, openSync, readSync, watch } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';

export type TailOptions = {
  file: string;
  from: number;
  /** Awaited before more is read; the bytes are there only until it returns. */
  onChunk: (chunk: Buffer, offset: number) => void | Promise<void>;
  /** The file shrank by so many bytes below what was delivered; reading goes on from its start. */
  onTruncated: (lostBytes: number) => void;
  signal: AbortSignal;
};

export type Tail = {
  /** Everything that is in the file now has been delivered; rejects when a callback threw, or after the close. */
  drained(): Promise<void>;
  close(): void;
};

type Waiter = { pass: number; resolve: () => void; reject: (reason: unknown) => void };

const CHUNK_BYTES = 64 * 1024;
/** One for all: who is told of what was read takes it out of it at once. */
const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);

/** Delivers what is and what gets appended to a file, in order, woken by the system's file events. */
export function tail(options: TailOptions): Tail {
  options.signal.throwIfAborted();
  const fd = openSync(options.file, 'r');
  const watcher = watchOrClose(options.file, fd, () => void look());
  let cursor = options.from;
  let wanted = 0;
  let isReading = false;
  let stopped: { reason: unknown } | undefined;
  let waiters: Waiter[] = [];
  watcher.on('error', stop);
  options.signal.addEventListener('abort', onAbort, { once: true });
  void look();
  return {
    drained: () =>
      new Promise((resolve, reject) => {
        if (stopped) return reject(stopped.reason);
        waiters.push({ pass: wanted + 1, resolve, reject });
        void look();
      }),
    close: () => stop(new Error(`The tail of ${options.file} is closed`)),
  };

  async function look(): Promise<void> {
    wanted += 1;
    if (isReading || stopped) return;
    isReading = true;
    try {
      for (let pass = 0; pass < wanted && !stopped; ) {
        pass = wanted;
        await readWhatIsThere();
        if (!stopped) settle(pass);
      }
    } catch (error) {
      stop(error);
    } finally {
      isReading = false;
      if (stopped) closeSync(fd);
    }
  }

  /** Up to what is there when it is asked, so that who never stops writing keeps nobody waiting; a short piece is the end. */
  async function readWhatIsThere(): Promise<void> {
    let end = Number.POSITIVE_INFINITY;
    while (cursor < end && !stopped) {
      const length = readSync(fd, buffer, 0, CHUNK_BYTES, cursor);
      if (length === 0) {
        const { size } = fstatSync(fd);
        if (size >= cursor) return;
        options.onTruncated(cursor - size);
        cursor = 0;
        end = size;
        continue;
      }
      const offset = cursor;
      cursor += length;
      await options.onChunk(buffer.subarray(0, length), offset);
      if (length < CHUNK_BYTES) return;
      end = Math.min(end, fstatSync(fd).size);
      await nextTurn();
    }
  }

  function settle(pass: number): void {
    if (waiters.length === 0) return;
    const done = waiters.filter((waiter) => waiter.pass <= pass);
    waiters = waiters.filter((waiter) => waiter.pass > pass);
    for (const waiter of done) waiter.resolve();
  }

  function onAbort(): void {
    stop(options.signal.reason);
  }

  function stop(reason: unknown): void {
    if (stopped) return;
    stopped = { reason };
    options.signal.removeEventListener('abort', onAbort);
    watcher.close();
    if (!isReading) closeSync(fd);
    for (const waiter of waiters) waiter.reject(reason);
    waiters = [];
  }
}

function watchOrClose(file: string, fd: number, wake: () => void): ReturnType<typeof watch> {
  try {
    return watch(file, wake);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}
