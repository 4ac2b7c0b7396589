import type { ReactElement } from 'react';
import { Copyable } from '../text/copyable.tsx';

/** What to do about an agent that is unavailable; the command in it can be copied. */
export function AgentFix({ nextStep }: { nextStep: string }): ReactElement {
  const command = commandIn(nextStep);
  return (
    <span>
      {nextStep} {command === undefined ? null : <Copyable text={command} />}
    </span>
  );
}

/** The command that a next step names, as in "Install it with npm install -g coder, or name the program". */
function commandIn(nextStep: string): string | undefined {
  return /(?:Install it with|Run) ([\w@/.-]+(?: [\w@/.:-]+)*?)(?=,|\.?$|\. | and )/.exec(nextStep)?.[1];
}
