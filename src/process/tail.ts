import { closeSync, fstatSync, readSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openPlainFile } from './files/plain-file.ts';
import { type PathWatcher, watchPath } from './files/watch-path.ts';

export type TailOptions = {
  file: string;
  from: number;
  /** Awaited before more is read; the bytes are valid only until it returns. */
  onChunk: (chunk: Buffer, offset: number) => void | Promise<void>;
  /** The file shrank by this many bytes below what was delivered; reading continues from its start. */
  onTruncated: (lostBytes: number) => void;
  signal: AbortSignal;
};

export type Tail = {
  /** Resolves when the current content has been delivered; rejects if a callback threw, or after close. */
  drained(): Promise<void>;
  close(): void;
};

type Waiter = { pass: number; resolve: () => void; reject: (reason: unknown) => void };

const CHUNK_BYTES = 64 * 1024;
/** Shared by all tails: a callback must copy the bytes that it keeps. */
const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);

/** Delivers the content of a file and everything appended to it, in order, triggered by file system events. */
export function tail(options: TailOptions): Tail {
  options.signal.throwIfAborted();
  const fd = openPlainFile(options.file);
  const watcher = watchOrClose(options.file, fd, () => void readMore());
  let cursor = options.from;
  let requestedPass = 0;
  let isReading = false;
  let stopped: { reason: unknown } | undefined;
  let waiters: Waiter[] = [];
  watcher.on('error', stop);
  options.signal.addEventListener('abort', onAbort, { once: true });
  void readMore();
  return {
    drained: () =>
      new Promise((resolve, reject) => {
        if (stopped) return reject(stopped.reason);
        waiters.push({ pass: requestedPass + 1, resolve, reject });
        void readMore();
      }),
    close: () => stop(new Error(`The tail of ${options.file} is closed`)),
  };

  async function readMore(): Promise<void> {
    requestedPass += 1;
    if (isReading || stopped) return;
    isReading = true;
    try {
      for (let pass = 0; pass < requestedPass && !stopped; ) {
        pass = requestedPass;
        await readAvailable();
        if (!stopped) settle(pass);
      }
    } catch (error) {
      stop(error);
    } finally {
      isReading = false;
      if (stopped) closeSync(fd);
    }
  }

  /** Reads up to the current end, so that a continuous writer does not delay waiters; a short read is the end. */
  async function readAvailable(): Promise<void> {
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

function watchOrClose(file: string, fd: number, wake: () => void): PathWatcher {
  try {
    return watchPath(file, wake);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}
