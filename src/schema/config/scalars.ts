import { z } from 'zod';

export const Seconds = z
  .number()
  .positive()
  .max(30 * 86_400);
export const Name = z
  .string()
  .regex(/^[a-z][a-z0-9-]*$/, 'lower-case letters, digits and dashes, starting with a letter');
export const InsidePath = z
  .string()
  .min(1)
  .refine((path) => !path.startsWith('/') && !path.split('/').includes('..'), 'must stay inside the repository');
export const CommandText = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]);
