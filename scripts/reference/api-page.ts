import { operationRoutes } from '../../src/http/api/operation-routes.ts';
import { STREAMS } from '../../src/operations/all.ts';
import { ROUTES } from '../../src/operations/routes.generated.ts';
import { code, codeBlock, type Page, referencePage, sentence, table } from './markdown.ts';

const EXAMPLE = `TOKEN=$(manyhands token)
curl -H "Authorization: Bearer $TOKEN" "http://127.0.0.1:4747/api/runs?limit=5"
curl -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d '{}' http://127.0.0.1:4747/api/runs/k3v9x2ab/pause
curl -N -H "Authorization: Bearer $TOKEN" http://127.0.0.1:4747/api/runs/k3v9x2ab/events`;

/** Every route of the HTTP API. */
export function apiPage(): Page {
  const routes = operationRoutes().map(({ method, path, name, kind, summary }) => [
    code(`${method} ${path}`),
    kind === 'stream' ? `${code(name)} (stream, resumed by ${code(STREAMS[name].cursor)})` : code(name),
    sentence(summary),
  ]);
  const unreachable = Object.entries(ROUTES).flatMap(([name, route]) =>
    typeof route === 'string' ? [] : [[code(name), route.unreachable]],
  );
  return referencePage('api', 'The HTTP API', [
    'Served by `manyhands serve`, and by commands that work on a run while they do. [How to serve](../how-to/serve.md) tells about logins and other machines. The same for programs: `/api/openapi.json` (OpenAPI 3.1); to read in a browser: `/api/docs`.',
    codeBlock('sh', EXAMPLE),
    '`GET` reads and takes its input in the query; a list is one parameter several times. Everything else acts, needs the operator token, and takes a JSON object with `Content-Type: application/json`. What the path names is left out of the body. A task key goes into the path percent-encoded: `implement%2F1.2`. `dir` is a folder of the project; where a run is named it is not needed.',
    'Streams are server-sent events: one `data:` line of JSON each, with an `id:`. Send the last id back as `Last-Event-ID`, or as `after`, to continue after it: nothing is left out or repeated. `event: beat` comes after 20 s without an item: whoever hears nothing for longer is cut off. `event: end` says that nothing more comes. After `event: closing`, or `event: problem`, which says why, open it again. Who does not read for half a minute is cut off.',
    'Failures are `application/problem+json` with `type`, `title`, `status`, `detail`, `code`, `hint` and `details`; the codes are those of [errors](errors.md).',
    table(['route', 'operation', 'what it does'], routes),
    'Besides: `GET /api/session` says who is asking, `POST /login` exchanges `{ "code" }` or `{ "token" }` for a cookie, `POST /logout` takes it away.',
    'Not reachable by HTTP:',
    table(['operation', 'why'], unreachable),
  ]);
}
