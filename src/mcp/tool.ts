import { z } from 'zod';
import { OPERATIONS, STREAMS } from '../operations/all.ts';
import { AttemptCaller } from '../operations/attempt-caller.ts';
import type { AccessRole } from '../operations/authorize.ts';
import type { Route, ToolUse } from '../operations/operation.ts';
import type { Access } from '../schema/task.ts';

/** A tool as the protocol lists it. */
export type Tool = {
  name: string;
  description: string;
  inputSchema: { type: 'object'; [key: string]: unknown };
  annotations: { readOnlyHint: boolean };
};

/** Who asks for tools: a role, and for an agent what its task may do. */
export type ToolUser = { role: AccessRole; access?: Access };

type Offered = {
  name: string;
  summary: string;
  http: Route;
  allow: readonly AccessRole[];
  input: z.ZodType;
  tool?: ToolUse;
};

/** Fields that Manyhands fills in for an agent. */
const FILLED_IN: ReadonlySet<string> = new Set(Object.keys(AttemptCaller));
const STREAM_REASON = 'It returns items as they occur, and a tool answers once.';

/** The tools of a user, by name. */
export function toolsFor(user: ToolUser): Tool[] {
  return offered()
    .filter((operation) => isOffered(operation, user))
    .map((operation) => toolOf(operation, user))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The operation behind the name of a tool of this user; undefined where the user has no such tool. */
export function operationOf(tool: string, user: ToolUser): string | undefined {
  const found = offered().find((operation) => toolName(operation.name) === tool);
  return found !== undefined && isOffered(found, user) ? found.name : undefined;
}

/** Why an operation or a stream is no tool; undefined if it is one. */
export function reasonForNoTool(name: string): string | undefined {
  if (Object.hasOwn(STREAMS, name)) return STREAM_REASON;
  const found = offered().find((operation) => operation.name === name);
  return found?.tool !== undefined && 'none' in found.tool ? found.tool.none : undefined;
}

function offered(): Offered[] {
  return Object.values(OPERATIONS);
}

function isOffered({ allow, tool }: Offered, { role, access }: ToolUser): boolean {
  if (!allow.includes(role) || (tool !== undefined && 'none' in tool)) return false;
  return tool === undefined || access !== 'read';
}

function toolName(operation: string): string {
  return operation.replaceAll('-', '_');
}

function toolOf({ name, summary, http, input }: Offered, { role }: ToolUser): Tool {
  const isReading = typeof http === 'string' && http.startsWith('GET ');
  return {
    name: toolName(name),
    description: summary,
    inputSchema: schemaOf(input, role === 'attempt'),
    annotations: { readOnlyHint: isReading },
  };
}

function schemaOf(input: z.ZodType, isForAgent: boolean): Tool['inputSchema'] {
  const {
    $schema: _,
    properties = {},
    required = [],
    ...others
  } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
  const isShown = (field: string) => !isForAgent || !FILLED_IN.has(field);
  return {
    ...others,
    type: 'object',
    properties: Object.fromEntries(Object.entries(properties).filter(([field]) => isShown(field))),
    required: required.filter(isShown),
  };
}
