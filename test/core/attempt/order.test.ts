import { expect, it } from 'vitest';
import { rolesForHost } from '../../../src/core/attempt/order.ts';
import { taskOf } from '../../../src/core/run/phase.ts';
import { added, given, spec, started } from '../../support/given.ts';

const TEXTS = { implement: 'Implement it', fix: 'Fix it', verify: 'Verify it', review: 'Review it' };

it('An order has the texts of the roles that its task can have, and of no others', () => {
  const verified = spec('b', {
    role: 'implement',
    verify: { role: 'verify', prompt: 'Verify it', rounds: 1, fixRole: 'fix', limits: {} },
  });
  const { state } = given(started(), added(spec('a', { role: 'implement' }), verified));
  expect(rolesForHost(TEXTS, taskOf(state, 'a'))).toEqual({ implement: 'Implement it' });
  expect(rolesForHost(TEXTS, taskOf(state, 'b'))).toEqual({ implement: 'Implement it', fix: 'Fix it' });
});
