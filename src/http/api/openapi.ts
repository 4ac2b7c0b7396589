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
    detail: { type: 'string', description: 'What happened, with which value.' },
    code: { type: 'string', enum: Object.keys(ERRORS) },
    hint: { type: 'string', description: 'What to do about it.' },
    details: { type: 'object' },
  },
};

/** What the API is, as OpenAPI 3.1 has it; made of the same schemas that check every request. */
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
      description: 'Everything that can be asked for. GET reads; everything else acts and needs the operator token.',
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }, { cookie: [] }],
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'As manyhands token prints it.' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'manyhands-<id>', description: 'Of a browser that logged in.' },
      },
      schemas: { Problem: PROBLEM },
      responses: {
        Problem: {
          description: 'It could not be done; the code says why.',
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      },
    },
  };
}

function operationObject(route: OperationRoute): Json {
  const input = withoutDialect(inputSchema(route));
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
  const description = `The id of the last item that was received (its ${STREAMS[route.name].cursor}); nothing is left out or repeated.`;
  return [{ name: 'Last-Event-ID', in: 'header', required: false, description, schema: { type: 'string' } }];
}

function responses(route: OperationRoute): Json {
  const { output } = route.kind === 'operation' ? OPERATIONS[route.name] : STREAMS[route.name];
  const schema = withoutDialect(z.toJSONSchema(output, { io: 'output', unrepresentable: 'any' }));
  const ok =
    route.kind === 'operation'
      ? { description: 'Done.', content: { 'application/json': { schema } } }
      : {
          description: 'Items as they happen, one data line of JSON each.',
          content: { 'text/event-stream': { schema: { type: 'string' }, 'x-item-schema': schema } },
        };
  return { '200': ok, default: { $ref: '#/components/responses/Problem' } };
}

/** A body without the fields that stand in the path. */
function without(schema: Json, names: readonly string[]): Json {
  const { properties, required } = Fields.parse(schema);
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name))),
    required: required.filter((name) => !names.includes(name)),
  };
}

function withoutDialect(schema: object): Json {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== '$schema'));
}
