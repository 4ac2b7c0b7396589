import { fstatSync, statSync, writeSync } from 'node:fs';
import type { WriteStream } from 'node:tty';
import { errorCode } from '../../errors.ts';

/** One of the two standard outputs of a process. */
export interface Output {
  readonly isTerminal: boolean;
  /** Node's stream for it: loading it takes a millisecond or more, which output to a file or a pipe does not need. */
  readonly stream: WriteStream;
  write(content: string): void;
}

type OutputOptions = { fd: 1 | 2; open: () => WriteStream; onError: (error: unknown) => void };

/** Writes to a file or a pipe at once, as Node's stream does, and to a terminal through that stream. */
export function createOutput({ fd, open, onError }: OutputOptions): Output {
  let opened: WriteStream | undefined;
  const stream = () => {
    if (opened !== undefined) return opened;
    opened = open();
    opened.on('error', onError);
    return opened;
  };
  return {
    isTerminal: isOtherDevice(fd) && stream().isTTY === true,
    get stream() {
      return stream();
    },
    write: (content) => {
      if (opened !== undefined) {
        opened.write(content);
        return;
      }
      let rest: Uint8Array = Buffer.from(content);
      try {
        while (rest.length > 0) rest = rest.subarray(writeSync(fd, rest));
      } catch (error) {
        // Another process has made the pipe non-blocking, and its reader is slow: the stream waits for it.
        if (errorCode(error) === 'EAGAIN') stream().write(rest);
        else onError(error);
      }
    },
  };
}

/** Whether this can be a terminal: it is a device, and not the one that discards everything. */
function isOtherDevice(fd: number): boolean {
  const found = fstatSync(fd);
  return found.isCharacterDevice() && found.rdev !== statSync('/dev/null', { throwIfNoEntry: false })?.rdev;
}
