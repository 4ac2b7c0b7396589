import { expect, it } from 'vitest';
import { evolve } from '../../../src/core/run/evolve.ts';
import type { RunState } from '../../../src/core/run/state.ts';
import { runDocument } from '../../../src/core/view/document.ts';
import { sharedEvent, sharedState } from '../../../src/core/view/guest-run.ts';
import { Config } from '../../../src/schema/config.ts';
import type { RunEvent } from '../../../src/schema/event.ts';
import { added, attempted, spec, started } from '../../support/given.ts';

const SECRETS = ['top-secret-prompt', '/home/ann', 'hidden.example.org', 'PRIVATE_KEY_NAME', 'secret-check'];
const config = Config.parse({
  agents: { ada: { kind: 'command', command: '/home/ann/bin/agent', env: { PRIVATE_KEY_NAME: '' } } },
  mcp: { files: { url: 'https://hidden.example.org/mcp' } },
  checks: ['./secret-check'],
  budget: { run: 5 },
});
const start = started({
  config,
  project: { id: 'p1', root: '/home/ann/client/project' },
  roles: { implement: 'top-secret-prompt' },
});

it('shows a guest the run without its settings, roles and folders', () => {
  const state = fold([start, added(spec('a')), attempted('a')]);
  const shared = sharedState(state);
  for (const secret of SECRETS) expect(JSON.stringify(shared)).not.toContain(secret);
  expect([shared.start.project.root, shared.start.config.budget.run]).toEqual(['project', 5]);
  expect({ ...runDocument(shared), project: '' }).toEqual({ ...runDocument(state), project: '' });
});

it('removes the same from the events that a guest follows', () => {
  const changed: RunEvent = {
    type: 'run.settings-changed',
    data: { budget: 9, agents: { settings: config.agents, order: ['ada'], byRole: {} } },
  };
  const shared = [start, changed].map((event, index) => sharedEvent({ version: index + 1, at: 0, ...event }));
  for (const secret of SECRETS) expect(JSON.stringify(shared)).not.toContain(secret);
  const [first, second] = shared;
  const folded = fold([first, second].map((each) => ({ type: each?.type, data: each?.data }) as RunEvent));
  expect(folded.start.config.budget.run).toBe(9);
});

function fold(events: readonly RunEvent[]): RunState {
  let state: RunState | undefined;
  for (const [at, event] of events.entries()) state = evolve(state, { event, at });
  if (state === undefined) throw new Error('There are no events');
  return state;
}
