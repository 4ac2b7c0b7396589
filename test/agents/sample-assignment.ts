import type { Assignment } from '../../src/agents/agent.ts';
import { PLAIN_SETTINGS } from '../contracts/attempt.ts';

/** An assignment without files. */
export function sampleAssignment(): Assignment {
  return {
    attempt: 'abcdefgh-1-1',
    run: 'abcdefgh',
    task: 'implement/1',
    role: 'implement',
    number: 1,
    access: 'write',
    workspace: '/sample',
    folder: '/sample/attempt',
    promptFile: '/sample/attempt/prompt.md',
    limits: { inactivityMs: 1, runtimeMs: 1, outputBytes: 1 },
    settings: PLAIN_SETTINGS,
    env: {},
  };
}
