import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { Socket } from 'node:net';
import { errorCode } from '../../errors.ts';

/** A FIFO that shows whether a process still has its other end open. */
export type Fifo = { fd: number; isHeld: boolean };

/** Opens a FIFO without waiting for a writer; undefined when there is none at that path. */
export function openFifo(path: string): Fifo | undefined {
  const fd = openForReading(path);
  if (fd === undefined) return undefined;
  try {
    if (fstatSync(fd).isFIFO()) return { fd, isHeld: isHeld(fd) };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  closeSync(fd);
  return undefined;
}

/** Resolves when the last holder has closed its end, which the system does for ended processes; always closes the FIFO. */
export function waitForRelease(fifo: Fifo, signal: AbortSignal): Promise<void> {
  if (!fifo.isHeld || signal.aborted) {
    closeSync(fifo.fd);
    signal.throwIfAborted();
    return Promise.resolve();
  }
  const socket = new Socket({ fd: fifo.fd, readable: true, writable: false });
  return new Promise<void>((resolve, reject) => {
    const onAbort = () => socket.destroy();
    signal.addEventListener('abort', onAbort, { once: true });
    socket.once('error', reject);
    socket.once('close', () => {
      signal.removeEventListener('abort', onAbort);
      if (signal.aborted) reject(signal.reason);
      else resolve();
    });
    socket.resume();
  });
}

function openForReading(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EACCES', 'EAGAIN'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}

function isHeld(fd: number): boolean {
  try {
    return readSync(fd, Buffer.alloc(1), 0, 1, null) > 0;
  } catch (error) {
    if (errorCode(error) === 'EAGAIN') return true;
    throw error;
  }
}
