import type { FailureRule } from './failure.ts';

/** Every retry would fill the disk again; a person must free space. */
export const diskFull: FailureRule<'disk-full'> = {
  kind: 'disk-full',
  title: 'Disk full',
  follow: ({ failure }) => ({ action: 'block', reason: failure.message }),
};
