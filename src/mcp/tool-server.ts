import { existsSync, readFileSync } from 'node:fs';
import { Server } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { AppError, messageOf } from '../errors.ts';
import type { Tool } from './tool.ts';

const Package = z.object({ version: z.string() });

/** What a server offers, and how it calls it; both may wait for an engine that restarts. */
export interface ToolSource {
  /** How the server introduces itself to the model. */
  readonly instructions: string;
  tools(signal: AbortSignal): Promise<Tool[]>;
  /** The result of a tool; an expected failure is an AppError. */
  call(tool: string, input: Record<string, unknown>, client: ToolClientInfo): Promise<ToolResult>;
}

/** The program that calls, by the name it gave, and the end of its interest. */
export type ToolClientInfo = { name: string | undefined; signal: AbortSignal };

/** What a tool returned, and what to know about it, such as where the rest is. */
export type ToolResult = { value: unknown; note?: string };

/** A server of the protocol for one client; a failed call is an answer that the model reads, never a protocol error. */
export function toolServer({ instructions, tools, call }: ToolSource): Server {
  const server = new Server(
    { name: 'manyhands', version: productVersion() },
    { capabilities: { tools: {} }, ...(instructions === '' ? {} : { instructions }) },
  );
  server.setRequestHandler('tools/list', async (_, context) => ({ tools: await tools(context.mcpReq.signal) }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    try {
      const client = { name: server.getClientVersion()?.name, signal: context.mcpReq.signal };
      const { value, note } = await call(params.name, params.arguments ?? {}, client);
      const texts = [JSON.stringify(value ?? {}), ...(note === undefined ? [] : [note])];
      return { content: texts.map((text) => ({ type: 'text' as const, text })) };
    } catch (error) {
      return { content: [{ type: 'text', text: failureText(error) }], isError: true };
    }
  });
  return server;
}

/** The version of the product: its package is above the built program, and above the sources. */
function productVersion(): string {
  const files = ['../package.json', '../../package.json'].map((path) => new URL(path, import.meta.url));
  const file = files.find((each) => existsSync(each));
  return file === undefined ? 'unknown' : Package.parse(JSON.parse(readFileSync(file, 'utf8'))).version;
}

function failureText(error: unknown): string {
  return error instanceof AppError ? `${error.code}: ${error.message}` : messageOf(error);
}
