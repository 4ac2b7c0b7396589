import { z } from 'zod';
import { Permission } from './agent.ts';

/** Tools and folders that agents may use. */
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
    coordination: z
      .boolean()
      .default(true)
      .describe('Give agents the tools of Manyhands: notes, locks on files, questions to a person, sub-tasks.'),
    skipPermissions: z.boolean().default(false).describe('Allow everything; only in a container.'),
  })
  .prefault({});

/** What the assistant of a person may do through the operator tools. */
export const AssistantConfig = z
  .strictObject({
    decide: z
      .boolean()
      .default(false)
      .describe(
        'Whether an assistant (through manyhands mcp or /mcp) may approve, reject, land and undo work, and change the settings that decide on it. Read only from your own settings file, not from that of a project.',
      ),
  })
  .prefault({});
