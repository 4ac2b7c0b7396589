import { z } from 'zod';
import { Permission } from '../../schema/config/agent.ts';
import { McpServer } from '../../schema/config/mcp.ts';
import { Access } from '../../schema/task.ts';

/** What the program that speaks with an agent is told: whom to start, what to ask, and what to allow. */
export const AcpInput = z.object({
  command: z.array(z.string()).min(1),
  workspace: z.string(),
  promptFile: z.string(),
  access: Access,
  permission: Permission,
  allowedTools: z.array(z.string()),
  disallowedTools: z.array(z.string()),
  allowedCli: z.array(z.string()),
  addDirs: z.array(z.string()),
  mcp: z.record(z.string(), McpServer),
  /** Texts below the prompt in rank, and the base's own for agents that are kept from reading them. */
  instructions: z.string(),
  native: z.record(z.string(), z.string()),
  model: z.string().optional(),
  session: z.string().optional(),
  outputSchema: z.unknown().optional(),
});
export type AcpInput = z.infer<typeof AcpInput>;
