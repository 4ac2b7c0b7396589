import { describe, expect, it } from 'vitest';
import { qualityByAgent } from '../../src/core/quality.ts';
import {
  added,
  attemptEnded,
  attempted,
  given,
  landed,
  spec,
  started,
  taskEnded,
  used,
  worked,
} from '../support/given.ts';

describe('the quality of agents', () => {
  it('counts attempts, and as good only those whose task got done by them', () => {
    const { state } = given(
      started(),
      added(spec('implement/1.1'), spec('implement/1.2')),
      ...worked('implement/1.1'),
      landed('implement/1.1'),
      attempted('implement/1.2', 1, { agent: 'two' }),
      attemptEnded('implement/1.2', 1, { usage: used(0.5) }),
      taskEnded('implement/1.2', 'failed'),
    );
    expect(qualityByAgent([state])).toEqual({
      one: { attempts: 1, landed: 1, cost: 0 },
      two: { attempts: 1, landed: 0, cost: 0.5 },
    });
  });
});
