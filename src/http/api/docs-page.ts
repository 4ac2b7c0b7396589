import { ERRORS } from '../../errors.ts';
import { type OperationRoute, operationRoutes } from './operation-routes.ts';
import { titleOf } from './problem.ts';

const INTRODUCTION = [
  'Send the token that <code>manyhands token</code> prints: <code>Authorization: Bearer &lt;token&gt;</code>.',
  'GET reads and takes its input in the query; a list is one parameter several times. Everything else acts, needs the operator token, and takes a JSON object with <code>content-type: application/json</code>.',
  'A task key goes into a path percent-encoded: <code>implement%2F1.2</code>.',
  'Streams are server-sent events: one <code>data:</code> line of JSON each. Send the last <code>id:</code> back as <code>Last-Event-ID</code> (or <code>after</code>) to go on behind it. <code>event: beat</code> comes after 20 s without an item; <code>event: end</code> says that nothing more comes; after <code>event: closing</code> or <code>event: problem</code> (which says why) open it again.',
  'Failures are <code>application/problem+json</code>.',
];

/** The API on a page to read; it loads nothing but its own style. */
export function docsPage(version: string): string {
  const routes = operationRoutes();
  const groups = [...new Set(routes.map(groupOf))].sort();
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="color-scheme" content="light dark" />
<title>Manyhands: the API</title>
<link rel="icon" href="data:," />
<link rel="stylesheet" href="/api/docs.css" />
</head>
<body>
<main>
<h1>The API of Manyhands ${escaped(version)}</h1>
${INTRODUCTION.map((line) => `<p>${line}</p>`).join('\n')}
<p>The same for programs: <a href="/api/openapi.json">/api/openapi.json</a> (OpenAPI 3.1).</p>
${groups
  .map((group) =>
    section(
      group,
      routes.filter((route) => groupOf(route) === group),
    ),
  )
  .join('\n')}
<h2>Failures</h2>
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
  const rows = routes.map(
    ({ method, path, name, kind, summary }) =>
      `<tr><td><code><span class="${method}">${method}</span> ${escaped(path)}</code></td><td><code>${name}</code>${kind === 'stream' ? ' (stream)' : ''}</td><td>${escaped(summary)}</td></tr>`,
  );
  return `<h2>${escaped(group)}</h2>\n<table><thead><tr><th>route</th><th>operation</th><th></th></tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table>`;
}

function groupOf({ path }: OperationRoute): string {
  return path.split('/')[2] ?? '';
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
