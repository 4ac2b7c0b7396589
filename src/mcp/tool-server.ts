import { Server } from '@modelcontextprotocol/server';
import { AppError, messageOf } from '../errors.ts';
import type { Tool } from './tool.ts';

/** What a server offers, and how it calls it; both may wait for an engine that restarts. */
export interface ToolSource {
  /** How the server introduces itself to the model. */
  readonly instructions: string;
  tools(signal: AbortSignal): Promise<Tool[]>;
  /** The result of a tool; an expected failure is an AppError. */
  call(tool: string, input: Record<string, unknown>, signal: AbortSignal): Promise<unknown>;
}

/** A server of the protocol for one client; a failed call is an answer that the model reads, never a protocol error. */
export function toolServer({ instructions, tools, call }: ToolSource): Server {
  const server = new Server(
    { name: 'manyhands', version: '1.0.0' },
    { capabilities: { tools: {} }, ...(instructions === '' ? {} : { instructions }) },
  );
  server.setRequestHandler('tools/list', async (_, context) => ({ tools: await tools(context.mcpReq.signal) }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    try {
      const result = await call(params.name, params.arguments ?? {}, context.mcpReq.signal);
      return { content: [{ type: 'text', text: JSON.stringify(result) }] };
    } catch (error) {
      return { content: [{ type: 'text', text: failureText(error) }], isError: true };
    }
  });
  return server;
}

function failureText(error: unknown): string {
  return error instanceof AppError ? `${error.code}: ${error.message}` : messageOf(error);
}
