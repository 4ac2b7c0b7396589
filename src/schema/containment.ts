import { z } from 'zod';

/** One thing that containment restricts. */
const ContainmentPart = z.object({
  contained: z.boolean(),
  how: z.string().describe('What restricts it, or why nothing does.'),
});
export type ContainmentPart = z.infer<typeof ContainmentPart>;

/** How a program is contained: as a whole, and by parts such as files, processes, network and resources. */
export const ContainmentRecord = z.object({
  level: z.enum(['full', 'partly', 'none']).describe('none: its files are those of the user.'),
  missing: z.array(z.string()).describe('The parts that are not restricted.'),
  reason: z.string().optional().describe('Why there is no sandbox.'),
  parts: z.record(z.string(), ContainmentPart).optional().describe('Absent in records of earlier versions.'),
  login: z
    .enum(['inside', 'outside'])
    .optional()
    .describe('outside: the network proxy adds the key of the agent, which sees only a placeholder.'),
  ownSandbox: z
    .object({ used: z.boolean(), how: z.string().describe('What it adds, or why it is not used.') })
    .optional()
    .describe('The sandbox of the vendor of the agent, where it has one.'),
  dependencies: z
    .enum(['overlay'])
    .optional()
    .describe('overlay: its dependencies are shown below its workspace; else they are copies in it.'),
});
export type ContainmentRecord = z.infer<typeof ContainmentRecord>;

/** How an attempt of a task was contained. */
export const AttemptContainment = ContainmentRecord.extend({ attempt: z.number().int() });

/** What the programs of an attempt requested of the network, by host. */
export const NetworkUse = z.object({
  hosts: z.array(
    z.object({
      host: z.string(),
      requests: z.number().int().describe('Connections and requests, also those that were refused.'),
      refused: z.number().int().describe('Those that the network rules refused.'),
    }),
  ),
  interruptions: z.number().int().optional().describe('How often the proxy ended and was started again.'),
});
export type NetworkUse = z.infer<typeof NetworkUse>;

/** What the commands of a run requested of the network, by what they are for. */
export const CommandNetworkUse = NetworkUse.extend({ purpose: z.enum(['setup', 'check', 'application']) });
export type CommandNetworkUse = z.infer<typeof CommandNetworkUse>;

/** What an attempt of a task requested of the network. */
export const AttemptNetworkUse = NetworkUse.extend({ attempt: z.number().int() });
