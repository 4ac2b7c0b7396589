import { z } from 'zod';
import { OPERATIONS, type OperationName, STREAMS } from '../operations/all.ts';
import { AttemptCaller } from '../operations/attempt-caller.ts';
import type { AccessRole } from '../operations/authorize.ts';
import type { Route, ToolUse } from '../operations/operation.ts';
import type { Integration } from '../schema/config/integrations.ts';
import type { Access } from '../schema/task.ts';

/** A tool as the protocol lists it. */
export type Tool = {
  name: string;
  description: string;
  inputSchema: { type: 'object'; [key: string]: unknown };
  annotations: { readOnlyHint: boolean };
};

/** The schema of an input, with its fields. */
type ObjectSchema = Tool['inputSchema'] & { properties: Record<string, unknown>; required: string[] };

/** Who asks for tools: a role, and for an agent what its task may do, and which integrations are configured (without this, none is left out). */
export type ToolUser = { role: AccessRole; access?: Access; integrations?: ReadonlySet<Integration> };

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

/** The operation behind a name that this user may call; undefined where there is none. */
export function operationOf(tool: string, user: ToolUser): OperationName | undefined {
  const found = offered().find((operation) => toolName(operation.name) === tool);
  // A row of the table has a name of the table, which the type of its values cannot express.
  return found !== undefined && isCallable(found, user) ? (found.name as OperationName) : undefined;
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

function isOffered({ allow, tool }: Offered, { role, access, integrations }: ToolUser): boolean {
  if (!allow.includes(role) || (tool !== undefined && 'none' in tool)) return false;
  if (tool !== undefined && 'needs' in tool) return integrations === undefined || integrations.has(tool.needs);
  return tool === undefined || !('only' in tool) || access !== 'read';
}

function isCallable(operation: Offered, user: ToolUser): boolean {
  const { allow, tool } = operation;
  const isForPrograms = tool !== undefined && 'none' in tool && tool.byPrograms === true;
  return isForPrograms ? allow.includes(user.role) : isOffered(operation, user);
}

function toolName(operation: string): string {
  return operation.replaceAll('-', '_');
}

function toolOf({ name, summary, http, input, tool }: Offered, { role }: ToolUser): Tool {
  const isReading = (typeof http === 'string' && http.startsWith('GET ')) || (tool !== undefined && 'needs' in tool);
  const schema = schemaOf(input, role === 'attempt');
  const isRepeated = tool !== undefined && 'inputOf' in tool;
  return {
    name: toolName(name),
    description: isRepeated ? `${summary}. Its input is that of ${toolName(tool.inputOf)}.` : summary,
    inputSchema: isRepeated ? outlineOf(schema) : schema,
    annotations: { readOnlyHint: isReading },
  };
}

function schemaOf(input: z.ZodType, isForAgent: boolean): ObjectSchema {
  const {
    $schema: _,
    properties = {},
    required = [],
    ...others
  } = withoutUnion(z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }));
  const isShown = (field: string) => !isForAgent || !FILLED_IN.has(field);
  return {
    ...others,
    type: 'object',
    properties: Object.fromEntries(Object.entries(properties).filter(([field]) => isShown(field))),
    required: required.filter(isShown),
  };
}

type Schema = z.core.JSONSchema.JSONSchema;
type Field = z.core.JSONSchema._JSONSchema;

/** A union of objects as one object, because vendors accept no union at the top: what differs is a union in its field. */
function withoutUnion(schema: Schema): Schema {
  const variants = schema.oneOf ?? schema.anyOf;
  if (variants === undefined) return schema;
  const objects = variants.filter((variant): variant is Schema => typeof variant === 'object');
  const fields = [...new Set(objects.flatMap(({ properties = {} }) => Object.keys(properties)))];
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field, mergedField(objects, field)])),
    required: fields.filter((field) => objects.every(({ required = [] }) => required.includes(field))),
  };
}

function mergedField(objects: readonly Schema[], field: string): Field {
  const found = objects.flatMap(({ properties = {} }) => (field in properties ? [properties[field] ?? {}] : []));
  const texts = [...new Set(found.map((each) => JSON.stringify(each)))];
  const [first = {}] = found;
  if (texts.length === 1) return first;
  const constants = found.flatMap((each) => (typeof each === 'object' && each.const !== undefined ? [each.const] : []));
  if (constants.length === found.length) return { type: 'string', enum: constants };
  const titled = objects.flatMap(({ properties = {} }) => {
    const schema = properties[field];
    return typeof schema === 'object' ? [{ ...nameOf(properties), ...schema }] : [];
  });
  return { anyOf: titled };
}

/** The variant by the constant that tells it apart. */
function nameOf(properties: Readonly<Record<string, Field>>): { title?: string } {
  const constant = Object.values(properties).find((each) => typeof each === 'object' && each.const !== undefined);
  return typeof constant === 'object' ? { title: String(constant.const) } : {};
}

/** The fields without their parts, where another tool describes them. */
function outlineOf({ properties, required }: ObjectSchema): ObjectSchema {
  const fields = Object.entries(properties).map(([field, schema]) => [
    field,
    typeof schema === 'object' && schema !== null && 'enum' in schema ? schema : { type: 'object' },
  ]);
  return { type: 'object', properties: Object.fromEntries(fields), required };
}
