import { z } from 'zod';

/** An MCP server for agents: started by them, or reached by its URL. */
export const McpServer = z.union([
  z.strictObject({
    command: z.string(),
    args: z.array(z.string()).default([]),
    env: z.record(z.string(), z.string()).default({}),
  }),
  z.strictObject({ url: z.url(), headers: z.record(z.string(), z.string()).default({}) }),
]);
export type McpServer = z.infer<typeof McpServer>;
