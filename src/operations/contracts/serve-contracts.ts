import { z } from 'zod';
import { operation } from '../contract.ts';

/** What a server of a process that is not the engine needs. */
export const SERVE_STREAMS = {
  'watch-engine': operation(
    'engine',
    'Tell which process is the engine, and end with it',
    z.object({}),
    z.object({ pid: z.number().int() }),
  ),
} as const;
