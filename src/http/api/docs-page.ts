import { z } from 'zod';
import { ERRORS } from '../../errors.ts';
import { inputSchema } from './operation-input.ts';
import { type OperationRoute, operationRoutes } from './operation-routes.ts';
import { titleOf } from './problem.ts';

const Property = z.looseObject({
  description: z.string().optional(),
  type: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
});
const Fields = z.looseObject({
  properties: z.record(z.string(), Property).default({}),
  required: z.array(z.string()).default([]),
});

const INTRODUCTION = [
  'Send the token that <code>manyhands token</code> prints: <code>Authorization: Bearer &lt;token&gt;</code>.',
  'GET reads and takes its parameters in the query; repeat a parameter to send a list. Every other method makes changes, needs the operator token, and takes a JSON object with <code>content-type: application/json</code>.',
  'Encode a task key in a path: <code>implement%2F1.2</code>.',
  'Streams are server-sent events: one <code>data:</code> line of JSON each. To resume, send the last <code>id:</code> as <code>Last-Event-ID</code> (or <code>after</code>). <code>event: beat</code> follows 20 s without an item; <code>event: end</code> is the end of the stream; after <code>event: closing</code> or <code>event: problem</code> (with the reason) open it again.',
  'Failures are <code>application/problem+json</code>.',
];

/** The API as a page for people; it loads only its own style sheet. */
export function docsPage(version: string): string {
  const routes = operationRoutes();
  const groups = [...new Set(routes.map(groupOf))].sort();
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="color-scheme" content="light dark" />
<title>Manyhands API</title>
<link rel="icon" href="data:," />
<link rel="stylesheet" href="/api/docs.css" />
</head>
<body>
<main>
<h1>Manyhands ${escaped(version)}: API</h1>
${INTRODUCTION.map((line) => `<p>${line}</p>`).join('\n')}
<p>For programs: <a href="/api/openapi.json">/api/openapi.json</a> (OpenAPI 3.1).</p>
${groups
  .map((group) =>
    section(
      group,
      routes.filter((route) => groupOf(route) === group),
    ),
  )
  .join('\n')}
<h2>Errors</h2>
<table><thead><tr><th>code</th><th>status</th><th>what to do</th></tr></thead><tbody>
${Object.entries(ERRORS)
  .map(
    ([code, { http, hint }]) =>
      `<tr id="${code}"><td title="${titleOf(code)}"><code>${code}</code></td><td>${http}</td><td>${escaped(hint)}</td></tr>`,
  )
  .join('\n')}
</tbody></table>
</main>
</body>
</html>
`;
}

export const DOCS_STYLE = `:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { margin: 0; }
main { max-width: 68rem; margin: 0 auto; padding: 2rem 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin: 2rem 0 0.5rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 0.35rem 0.75rem 0.35rem 0; border-bottom: 1px solid light-dark(#d7dbe0, #333941); }
code { font: 0.92em ui-monospace, monospace; overflow-wrap: anywhere; }
.GET { color: light-dark(#1a6b3c, #6fd39a); } .POST, .PUT, .DELETE { color: light-dark(#8a4b00, #ffb454); }
a { color: light-dark(#1f5fbf, #7fb0ff); }
`;

function section(group: string, routes: readonly OperationRoute[]): string {
  const rows = routes.map((route) => {
    const { method, path, name, kind, summary } = route;
    const operation = `<code>${name}</code>${kind === 'stream' ? ' (stream)' : ''}`;
    return `<tr><td><code><span class="${method}">${method}</span> ${escaped(path)}</code></td><td>${operation}</td><td>${escaped(summary)}${parameterList(route)}</td></tr>`;
  });
  return `<h2>${escaped(group)}</h2>\n<table><thead><tr><th>route</th><th>operation</th><th></th></tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table>`;
}

/** The parameters of a route: name, where it is sent, type, whether it is required, and its description. */
function parameterList(route: OperationRoute): string {
  const { properties, required } = Fields.parse(inputSchema(route));
  const items = Object.entries(properties).map(([name, { description, ...schema }]) => {
    const place = route.params.includes(name) ? 'path' : route.method === 'GET' ? 'query' : 'body';
    const need = required.includes(name) ? ', required' : '';
    const about = description === undefined ? '' : `: ${escaped(description)}`;
    return `<li><code>${escaped(name)}</code> (${place}, ${escaped(typeOf(schema))}${need})${about}</li>`;
  });
  if (items.length === 0) return '';
  const count = items.length === 1 ? '1 parameter' : `${items.length} parameters`;
  return `<details><summary>${count}</summary><ul>${items.join('')}</ul></details>`;
}

/** A JSON schema in a few words. */
function typeOf(schema: z.infer<typeof Property>): string {
  if (schema.enum !== undefined) return schema.enum.map(String).join(' or ');
  if (schema.type === 'array') return 'list';
  return typeof schema.type === 'string' ? schema.type : 'any';
}

function groupOf({ path }: OperationRoute): string {
  return path.split('/')[2] ?? '';
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
