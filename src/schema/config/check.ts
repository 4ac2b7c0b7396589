import { z } from 'zod';
import { CommandText, Name, Seconds } from './scalars.ts';

/** A command that must exit 0. */
export const CheckConfig = z.union([
  z.string().min(1),
  z.strictObject({ name: Name.optional(), run: CommandText, timeoutSeconds: Seconds.default(600) }),
]);
