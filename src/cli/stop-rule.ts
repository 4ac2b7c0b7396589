import { InvalidArgumentError } from 'commander';
import type { StopRule } from '../schema/request.ts';
import { parseSeconds, parseUsd, wholeNumber } from './amounts.ts';

type Rule = Partial<StopRule>;

const FORMS = 'turns=20, budget=1.50, time=10m or completion';

/** Reads one `--stop` and adds it to those before. */
export function parseStopRule(text: string, before: Rule | undefined): Rule {
  return { ...before, ...ruleOf(text) };
}

function ruleOf(text: string): Rule {
  const [name, value] = text.split('=', 2);
  if (name === 'completion' && value === undefined) return { completion: true };
  if (value === undefined || value === '') throw new InvalidArgumentError(`Give ${FORMS}.`);
  switch (name) {
    case 'turns':
      return { turns: wholeNumber(1, 100_000)(value) };
    case 'budget':
      return { budget: parseUsd(value) };
    case 'time':
      return { seconds: parseSeconds(value) };
    default:
      throw new InvalidArgumentError(`"${name}" is no reason to stop; give ${FORMS}.`);
  }
}
