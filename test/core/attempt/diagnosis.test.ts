import { expect, it } from 'vitest';
import { diagnosisByRules } from '../../../src/core/attempt/diagnosis.ts';

it.each(['timeout', 'stalled', 'budget'] as const)(
  'does not advise to raise a limit and retry after %s, because a retry keeps the limits of its run',
  (kind) => {
    const { nextStep } = diagnosisByRules('r0000001', { kind, message: 'x' });
    expect(nextStep).toContain('A retry keeps the limits of its run');
    expect(nextStep).not.toContain('then manyhands retry');
  },
);
