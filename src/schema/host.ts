import { z } from 'zod';

/** The name of a host: it is part of the name of its queue. */
export const HostName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must be 1 to 40 small letters, digits or dashes, and not begin with a dash');

/** What a host says about itself when it registers; `instance` is one process of it. */
export const HostRegistration = z.object({
  name: HostName,
  instance: z.string().regex(/^[0-9a-f-]{36}$/),
  slots: z.number().int().min(1).max(1_000),
  agents: z.array(z.string()).describe('The kinds and names of agents that it can run.'),
  labels: z.array(z.string()),
  memoryBytes: z.number(),
  diskBytes: z.number(),
  version: z.string(),
  machine: z.string().describe('The name of the machine, and the folder of its data.'),
});
export type HostRegistration = z.infer<typeof HostRegistration>;
