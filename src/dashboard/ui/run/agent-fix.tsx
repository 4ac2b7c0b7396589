import type { ReactElement } from 'react';
import { Copyable } from '../text/copyable.tsx';

/** What to do about an agent that is unavailable; the command in it can be copied. */
export function AgentFix({ nextStep }: { nextStep: string }): ReactElement {
  const command = commandIn(nextStep);
  if (command === undefined) return <span>{nextStep}</span>;
  const at = nextStep.indexOf(command);
  return (
    <span>
      {nextStep.slice(0, at)}
      <Copyable text={command} />
      {nextStep.slice(at + command.length)}
    </span>
  );
}

/** The command that a next step names, as in "Install it with npm install -g coder, or name the program". */
function commandIn(nextStep: string): string | undefined {
  return /(?:Install it with|Run) ([\w@/.-]+(?: [\w@/.:-]+)*?)(?=,|\.?$|\. | and )/.exec(nextStep)?.[1];
}
