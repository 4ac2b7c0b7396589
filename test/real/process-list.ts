import { readdirSync, readFileSync } from 'node:fs';
import { errorCode } from '../../src/errors.ts';

export type Entry = { pid: number; parent: number; command: string };

/** Commands may run in a namespace of their own, so that only we know their numbers here. */
export function processes(): Entry[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        const [, parent = '0'] = /\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
        return [{ pid: Number(pid), parent: Number(parent), command }];
      } catch (error) {
        // It has ended meanwhile.
        if (['ENOENT', 'ESRCH'].includes(errorCode(error) ?? '')) return [];
        throw error;
      }
    });
}
