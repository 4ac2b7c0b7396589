import { expect, it } from 'vitest';
import { z } from 'zod';
import { operationRoutes } from '../../../src/http/api/operation-routes.ts';
import { openServer } from '../open-test-server.ts';

const Parameter = z.object({
  name: z.string().min(1),
  in: z.enum(['path', 'query', 'header', 'cookie']),
  required: z.boolean(),
  schema: z.record(z.string(), z.unknown()),
});
const Content = z.record(z.string(), z.looseObject({ schema: z.record(z.string(), z.unknown()) }));
const Reply = z.union([z.strictObject({ $ref: z.string() }), z.object({ description: z.string(), content: Content })]);
const Operation = z.strictObject({
  operationId: z.string(),
  summary: z.string().min(1),
  tags: z.array(z.string()).min(1),
  parameters: z.array(Parameter),
  requestBody: z.object({ required: z.literal(true), content: Content }).optional(),
  responses: z.record(z.string().regex(/^(\d{3}|default)$/), Reply),
});
/** What the OpenAPI 3.1 specification demands of the parts that are used here. */
const Document = z.strictObject({
  openapi: z.literal('3.1.0'),
  info: z.object({ title: z.string(), version: z.literal('1.2.3'), description: z.string() }),
  servers: z.array(z.object({ url: z.string() })),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  paths: z.record(
    z.string().regex(/^\/api\//),
    z.record(z.enum(['get', 'post', 'put', 'delete']), Operation.optional()),
  ),
  components: z.looseObject({}),
});

it('the description of the API is OpenAPI 3.1, tells of every route, and every reference in it leads somewhere', async () => {
  await using server = await openServer();
  const json: unknown = await (await server.ask('/api/openapi.json')).json();
  const { paths } = Document.parse(json);
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      operation === undefined ? [] : [{ route: `${method.toUpperCase()} ${path}`, operation }],
    ),
  );
  expect(described.map(({ route }) => route).sort()).toEqual(
    operationRoutes()
      .map(({ method, path }) => `${method} ${path}`)
      .sort(),
  );
  for (const { route, operation } of described) {
    const inPath = operation.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
    expect(inPath.sort(), route).toEqual([...route.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort());
    expect(operation.requestBody === undefined, route).toBe(route.startsWith('GET'));
  }
  expect(new Set(described.map(({ operation }) => operation.operationId)).size).toBe(described.length);
  expect(strayReferences(json)).toEqual([]);
});

it('the page about the API names every route and every failure', async () => {
  await using server = await openServer();
  const page = await (await server.ask('/api/docs')).text();
  expect(
    operationRoutes().filter(({ path, name }) => !page.includes(path) || !page.includes(`<code>${name}</code>`)),
  ).toEqual([]);
  expect(page).toContain('id="RUN_UNKNOWN"');
  expect(page).toMatch(/<li><code>run<\/code> \(path, string, required\)/);
  expect(page).toMatch(/<li><code>reason<\/code> \(body, string/);
});

function strayReferences(document: unknown): string[] {
  const found: string[] = [];
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (key === '$ref' && typeof inner === 'string' && !leadsSomewhere(document, inner)) found.push(inner);
      walk(inner);
    }
  };
  walk(document);
  return found;
}

function leadsSomewhere(document: unknown, reference: string): boolean {
  let at: unknown = document;
  for (const part of reference.replace(/^#\/?/, '').split('/')) {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    at = typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? Reflect.get(at, key) : undefined;
  }
  return reference.startsWith('#/') && at !== undefined;
}
