import { expect, it } from 'vitest';
import { costText, hasCost, sumUnknown, unknownUsageText } from '../../../src/core/view/cost-text.ts';

const unknown = (attempts: number, uncharged: number) => ({ attempts, uncharged });

it('is an amount where all usage is known', () => {
  expect([costText({ cost: 0 }), costText({ cost: 1.5, unknownUsage: undefined })]).toEqual(['$0.00', '$1.50']);
  expect([hasCost({ cost: 0 }), unknownUsageText()]).toEqual([false, '']);
});

it('is at most the amount where reservations stand for unknown usage', () => {
  expect(costText({ cost: 2, unknownUsage: unknown(2, 0) })).toBe('≤$2.00');
  expect(unknownUsageText(unknown(2, 0))).toBe(
    '2 attempts did not report usage; the reserved amount is counted instead.',
  );
});

it('is never an amount of nothing where nothing was reserved', () => {
  expect(costText({ cost: 0, unknownUsage: unknown(1, 1) })).toBe('unknown');
  expect(costText({ cost: 0.08, unknownUsage: unknown(9, 8) })).toBe('≥$0.08');
  expect(hasCost({ cost: 0, unknownUsage: unknown(1, 1) })).toBe(true);
  expect(unknownUsageText(unknown(1, 1))).toBe(
    '1 attempt did not report usage; nothing is counted, because without a budget nothing is reserved.',
  );
  expect(unknownUsageText(unknown(9, 8))).toContain('counted for 1, nothing is counted for 8');
});

it('sums what is not known', () => {
  expect(sumUnknown([undefined, unknown(2, 1), unknown(1, 0)])).toEqual(unknown(3, 1));
  expect(sumUnknown([undefined])).toBeUndefined();
});
