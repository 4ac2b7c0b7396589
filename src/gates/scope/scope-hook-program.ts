import { readFileSync } from 'node:fs';
import { messageOf } from '../../errors.ts';
import { refusal, ScopeHookInput } from './scope-hook.ts';

/** To the agent's program this exit code means: do not use the tool, and show the model the text on standard error. */
const REFUSED = 2;
const STANDARD_INPUT = 0;

/** Answers one question of an agent's program: may this tool be used? What cannot be judged is refused. */
function main(orderFile: string): number {
  try {
    const order = ScopeHookInput.parse(JSON.parse(readFileSync(orderFile, 'utf8')));
    const reason = refusal(order, readFileSync(STANDARD_INPUT, 'utf8'));
    if (reason === undefined) return 0;
    process.stderr.write(`${reason}\n`);
  } catch (error) {
    process.stderr.write(`The scope of this task could not be read: ${messageOf(error)}\n`);
  }
  return REFUSED;
}

process.exitCode = main(process.argv[2] ?? '');
