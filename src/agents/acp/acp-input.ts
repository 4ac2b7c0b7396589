import { z } from 'zod';
import { AttemptRules } from '../../gates/scope/attempt-rules.ts';
import { Permission } from '../../schema/config/agent.ts';
import { McpServer } from '../../schema/config/mcp.ts';
import { Access } from '../../schema/task.ts';

/** The input of the ACP client program: the agent to start, the prompt, and the permissions. */
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
  /** Those of them that the session opens; the others are in the settings of the program. */
  sessionMcp: z.record(z.string(), McpServer),
  /** Which files of the repository it may change; all scopes apply. */
  scopes: AttemptRules.shape.scopes,
  policy: AttemptRules.shape.policy,
  /** Instructions of lower priority than the prompt, and the base's native files for agents that may not read them. */
  instructions: z.string(),
  native: z.record(z.string(), z.string()),
  model: z.string().optional(),
  session: z.string().optional(),
  outputSchema: z.unknown().optional(),
});
export type AcpInput = z.infer<typeof AcpInput>;
