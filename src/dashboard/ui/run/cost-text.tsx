import type { ReactElement } from 'react';
import { moneyText } from '../../../core/view/amounts.ts';
import type { TaskCost } from '../../../core/view/task-cost.ts';
import { Money, Spent } from '../text/amounts.tsx';

const BOUNDS = {
  'at-most': { sign: '≤', title: 'At most: usage was not reported, and its reservation is counted' },
  'at-least': { sign: '≥', title: 'At least: the usage of an attempt was not reported' },
};

/** The cost of a task, the same in every view, marked where it is only a bound. */
export function CostText({ cost: { costUsd, bound } }: { cost: TaskCost }): ReactElement {
  if (bound === 'exact') return <Spent usd={costUsd} />;
  if (bound === 'at-least' && costUsd === 0) return <Money usd={null} />;
  return (
    <span className="numbers" title={BOUNDS[bound].title}>
      {BOUNDS[bound].sign} {moneyText(costUsd)}
    </span>
  );
}
