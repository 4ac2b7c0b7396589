import { z } from 'zod';
import { Permission } from './agent.ts';

/** What agents may use. */
export const ToolsConfig = z
  .strictObject({
    permissionMode: Permission.optional().describe(
      'What agents may do without asking, unless the settings of the agent differ.',
    ),
    allowedCli: z.array(z.string()).default([]).describe('Programs agents may run, for example gh or docker.'),
    allowedTools: z
      .array(z.string())
      .default([])
      .describe('Tool patterns that are allowed, in the syntax of the agent.'),
    disallowedTools: z.array(z.string()).default([]).describe('Tool patterns that are refused.'),
    addDirs: z.array(z.string()).default([]).describe('Folders outside the workspace that agents may use.'),
    skipPermissions: z.boolean().default(false).describe('Allow everything; only in a container.'),
  })
  .prefault({});
