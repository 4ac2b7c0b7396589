import { z } from 'zod';
import { ERRORS } from '../../errors.ts';
import { OPERATIONS, STREAMS } from '../../operations/all.ts';
import { inputSchema } from './operation-input.ts';
import { type OperationRoute, operationRoutes } from './operation-routes.ts';

type Json = Record<string, unknown>;

const Fields = z.looseObject({
  properties: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
  required: z.array(z.string()).default([]),
});

const PROBLEM = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code', 'hint', 'details'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What happened, with the value.' },
    code: { type: 'string', enum: Object.keys(ERRORS) },
    hint: { type: 'string', description: 'What to do.' },
    details: { type: 'object' },
  },
};

/** The API as OpenAPI 3.1, generated from the schemas that validate every request. */
export function openApi(version: string): Json {
  const paths: Record<string, Json> = {};
  for (const route of operationRoutes()) {
    const path = paths[route.path] ?? {};
    path[route.method.toLowerCase()] = operationObject(route);
    paths[route.path] = path;
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Manyhands',
      version,
      description: 'All operations. GET reads; every other method makes changes and needs the operator token.',
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }, { cookie: [] }],
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'The token that manyhands token prints.' },
        cookie: {
          type: 'apiKey',
          in: 'cookie',
          name: 'manyhands-<id>',
          description: 'The session of a browser that is logged in.',
        },
      },
      schemas: { Problem: PROBLEM },
      responses: {
        Problem: {
          description: 'The operation failed; the code states the reason.',
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      },
    },
  };
}

function operationObject(route: OperationRoute): Json {
  const input = withoutSchemaKey(inputSchema(route));
  const { properties, required } = Fields.parse(input);
  const inPath = route.params.map((name) => ({ name, in: 'path', required: true, schema: properties[name] ?? {} }));
  const inQuery = Object.entries(properties)
    .filter(([name]) => !route.params.includes(name))
    .map(([name, schema]) => ({ name, in: 'query', required: required.includes(name), schema }));
  const common = { operationId: route.name, summary: route.summary, tags: [route.path.split('/')[2] ?? ''] };
  if (route.method === 'GET')
    return { ...common, parameters: [...inPath, ...inQuery, ...resuming(route)], responses: responses(route) };
  const body = route.params.length === 0 ? input : without(input, route.params);
  return {
    ...common,
    parameters: inPath,
    requestBody: { required: true, content: { 'application/json': { schema: body } } },
    responses: responses(route),
  };
}

function resuming(route: OperationRoute): Json[] {
  if (route.kind !== 'stream') return [];
  const description = `The id of the last item that was received (its ${STREAMS[route.name].cursor}); no item is omitted or repeated.`;
  return [{ name: 'Last-Event-ID', in: 'header', required: false, description, schema: { type: 'string' } }];
}

function responses(route: OperationRoute): Json {
  const { output } = route.kind === 'operation' ? OPERATIONS[route.name] : STREAMS[route.name];
  const schema = withoutSchemaKey(z.toJSONSchema(output, { io: 'output', unrepresentable: 'any' }));
  const ok =
    route.kind === 'operation'
      ? { description: 'Done.', content: { 'application/json': { schema } } }
      : {
          description: 'Items as they occur, one data line of JSON each.',
          content: { 'text/event-stream': { schema: { type: 'string' }, 'x-item-schema': schema } },
        };
  return { '200': ok, default: { $ref: '#/components/responses/Problem' } };
}

/** A body without the fields that are part of the path. */
function without(schema: Json, names: readonly string[]): Json {
  const { properties, required } = Fields.parse(schema);
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name))),
    required: required.filter((name) => !names.includes(name)),
  };
}

function withoutSchemaKey(schema: object): Json {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== '$schema'));
}
