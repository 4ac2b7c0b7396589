/** Routes of other tools, by method and path, and the route that replaces each. */
const OTHER_ROUTES: readonly [RegExp, string][] = [
  [/^POST \/api\/(?:jobs|tasks)$/, 'POST /api/runs with the recipe job'],
  [/^POST \/api\/(?:workflows|autonomous-agent-runs)$/, 'POST /api/runs with the recipe cycle'],
  [/^POST \/api\/debates$/, 'POST /api/runs with the recipe debate'],
  [/^POST \/api\/start$/, 'POST /api/runs with the recipe features'],
  [
    /^(?:POST|DELETE) \/api\/(?:jobs|workflows|autonomous-agent-runs|debates|agents)\/[^/]+(?:\/cancel)?$/,
    'POST /api/runs/{run}/cancel',
  ],
  [/^POST \/api\/(?:workflows|autonomous-agent-runs)\/[^/]+\/wrap-up$/, 'POST /api/runs/{run}/wrap-up'],
  [/^POST \/api\/(?:workflows|autonomous-agent-runs)\/[^/]+\/resume$/, 'POST /api/resume'],
  [/^POST \/api\/agents\/[^/]+\/continue$/, 'POST /api/runs/{run}/tasks/{task}/messages'],
  [/^POST \/api\/(?:agents\/[^/]+\/(?:retry|requeue)|(?:retry|resume)\/[^/]+)$/, 'POST /api/runs/{run}/retry'],
  [/^POST \/api\/replies\/[^/]+$/, 'POST /api/runs/{run}/questions/{question}/answer'],
  [/^POST \/api\/eye\/start$/, 'POST /api/watch'],
  [/^POST \/api\/eye\/stop$/, 'POST /api/watch/stop'],
  [/^[A-Z]+ \/api\/eye\//, 'GET /api/watch'],
  [/^[A-Z]+ \/api\/knowledge-base/, 'GET /api/knowledge'],
  [/^[A-Z]+ \/api\/batch-templates/, 'GET /api/batches'],
  [
    /^GET \/api\/(?:jobs|tasks|workflows|autonomous-agent-runs|debates|agents|sessions|features)\/./,
    'GET /api/runs/{run}',
  ],
  [
    /^GET \/api\/(?:jobs|tasks|workflows|autonomous-agent-runs|debates|agents|sessions|features|status)$/,
    'GET /api/runs',
  ],
];

/** What to say about a route that does not exist: its replacement, where it is that of another tool. */
export function unknownRouteText(method: string, path: string): string {
  const text = `There is no ${method} ${path}`;
  const use = OTHER_ROUTES.find(([route]) => route.test(`${method} ${path}`))?.[1];
  return use === undefined ? text : `${text}. Use instead: ${use}`;
}
