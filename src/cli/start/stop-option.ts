import { type Command, InvalidArgumentError } from 'commander';
import { StopRule } from '../../schema/request.ts';
import { parseSeconds, parseUsd, wholeNumber } from '../render/amounts.ts';

type Rule = Partial<StopRule>;

const FORMS = 'turns=20, budget=1.50, time=10m, silence=5m or completion';

/** The values of `--stop`, as commander returns them. */
export const StopFlag = StopRule.partial().optional();

/** Adds `--stop`. */
export function addStopOption(command: Command): Command {
  return command.option(
    '--stop <rule>',
    'stop an attempt at turns=N, budget=USD, time=10m, silence=5m or completion; repeatable',
    parseStopRule,
  );
}

/** Reads one `--stop` and merges it with the earlier ones. */
function parseStopRule(text: string, before: Rule | undefined): Rule {
  return { ...before, ...ruleOf(text) };
}

function ruleOf(text: string): Rule {
  const [name, value] = text.split('=', 2);
  if (name === 'completion' && value === undefined) return { completion: true };
  if (value === undefined || value === '') throw new InvalidArgumentError(`Use ${FORMS}.`);
  switch (name) {
    case 'turns':
      return { turns: wholeNumber(1, 100_000)(value) };
    case 'budget':
      return { budget: parseUsd(value) };
    case 'time':
      return { seconds: parseSeconds(value) };
    case 'silence':
      return { silenceSeconds: parseSeconds(value) };
    default:
      throw new InvalidArgumentError(`"${name}" is not a stop rule; use ${FORMS}.`);
  }
}
