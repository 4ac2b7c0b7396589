import { z } from 'zod';
import { Name } from './scalars.ts';

/** The default agent of a task. */
export const RoutingConfig = z
  .strictObject({
    order: z.array(z.string()).default([]).describe('Agents in order of preference.'),
    prefer: z.record(Name, z.array(z.string())).default({}).describe('Agents in order of preference for one role.'),
    tierByComplexity: z
      .boolean()
      .default(true)
      .describe('Choose light, standard or heavy by the size of a task where no tier is set.'),
    learn: z.boolean().default(true).describe('Order agents by their verified results where you set no order.'),
    learnAfter: z
      .number()
      .int()
      .min(1)
      .max(1_000)
      .default(5)
      .describe('How many verified results an agent needs in a role before they count.'),
    ccswitch: z
      .string()
      .min(1)
      .default('off')
      .describe(
        'Use the profiles of CC Switch as additional logins: off, auto (its default file), or the path of its database.',
      ),
    fallback: z.boolean().default(true).describe('Use the next agent when one is rate-limited; otherwise wait for it.'),
  })
  .prefault({});
