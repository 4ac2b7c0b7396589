import { expect, it } from 'vitest';
import { agentLimits } from '../../../src/engine/loop/scheduling-input.ts';

it('limits an agent to the smallest value of the active runs, whichever was opened last', () => {
  const two = { name: 'claude', maxParallel: 2 };
  const many = { name: 'claude', maxParallel: 20 };
  expect(agentLimits([two, many, { name: 'codex', maxParallel: 5 }])).toEqual({ claude: 2, codex: 5 });
  expect(agentLimits([many, two])).toEqual({ claude: 2 });
});
