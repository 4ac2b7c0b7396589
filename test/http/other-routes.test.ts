import { expect, it } from 'vitest';
import { unknownRouteText } from '../../src/http/other-routes.ts';
import { ROUTES } from '../../src/operations/routes.generated.ts';

it.each([
  ['POST /api/jobs', 'POST /api/runs with the recipe job'],
  ['POST /api/workflows', 'POST /api/runs with the recipe cycle'],
  ['POST /api/workflows/7/resume', 'POST /api/resume'],
  ['POST /api/workflows/7/wrap-up', 'POST /api/runs/{run}/wrap-up'],
  ['POST /api/debates/7/cancel', 'POST /api/runs/{run}/cancel'],
  ['DELETE /api/jobs/7', 'POST /api/runs/{run}/cancel'],
  ['POST /api/agents/7/continue', 'POST /api/runs/{run}/tasks/{task}/messages'],
  ['POST /api/retry/3', 'POST /api/runs/{run}/retry'],
  ['POST /api/replies/q1', 'POST /api/runs/{run}/questions/{question}/answer'],
  ['POST /api/eye/start', 'POST /api/watch'],
  ['GET /api/eye/proposals', 'GET /api/watch'],
  ['GET /api/knowledge-base/search', 'GET /api/knowledge'],
  ['POST /api/batch-templates/1/run', 'GET /api/batches'],
  ['GET /api/features', 'GET /api/runs'],
  ['GET /api/sessions/4', 'GET /api/runs/{run}'],
])('a route of another tool is answered with a route that exists: %s', (typed, use) => {
  const [method = '', path = ''] = typed.split(' ');
  expect(unknownRouteText(method, path)).toBe(`There is no ${typed}. Use instead: ${use}`);
  expect(Object.values(ROUTES)).toContain(use.split(' with ')[0]);
});

it('any other unknown route is only named', () => {
  expect(unknownRouteText('GET', '/api/nothing')).toBe('There is no GET /api/nothing');
});
