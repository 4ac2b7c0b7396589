import { z } from 'zod';
import { Name } from './words.ts';

/** Who gets a task where nothing says it. */
export const RoutingConfig = z
  .strictObject({
    order: z.array(z.string()).default([]).describe('Agents in order of preference.'),
    prefer: z.record(Name, z.array(z.string())).default({}).describe('Agents in order of preference for one role.'),
    tierByComplexity: z
      .boolean()
      .default(true)
      .describe('Choose light, standard or heavy by the size of a task where nothing says which.'),
    fallback: z.boolean().default(true).describe('Go on with the next agent when one must rest; else wait for it.'),
  })
  .prefault({});
