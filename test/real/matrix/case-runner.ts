import type { Assignment, AssignmentSettings } from '../../../src/agents/agent.ts';
import type { SeenRequest } from '../model-server/arrivals.ts';
import type { Script, Step } from '../model-server/step.ts';
import type { Sandbox } from '../sandbox.ts';
import type { AgentRun, RunHooks } from '../support.ts';

/** One attempt on the scripted model. */
interface CaseRun {
  script: Script;
  /** Another address than that of the script. */
  base?: string;
  more?: Partial<Omit<Assignment, 'settings' | 'env'>>;
  settings?: Partial<AssignmentSettings>;
  hooks?: RunHooks;
  /** How often the program asks again by itself, where it can be told; not once, unless told. */
  retries?: number;
  /** How long the program itself waits for an answer, where it can be told; a minute, unless told. */
  waitMs?: number;
}

export type CaseResult = AgentRun & { requests: readonly SeenRequest[] };

/** Something that an agent must not do: the step that tries it, and the file that would be there then. */
interface Forbidden {
  step: Step;
  file: string;
  more: Pick<CaseRun, 'more' | 'settings'>;
}

/** A real program that plays attempts, and its own words for what the model asks of it. */
export interface CaseRunner {
  runCase(sandbox: Sandbox, runCase: CaseRun): Promise<CaseResult>;
  write(sandbox: Sandbox, name: string): Step;
  run(command: string): Step;
  tool(server: string, name: string, args: Record<string, unknown>): Step;
  /** How the model hands over output of a form. */
  answer(output: Record<string, unknown>): Step;
  forbidden(sandbox: Sandbox): Forbidden;
  /** Done in the home before a session is gone on with. */
  beforeResume?(home: string): Promise<void>;
  /** What is known of the cost of a request that was refused: that there is none, unless it says the refusal itself. */
  refusalUsage: 'none' | 'unknown';
  /** How many processes stand between the shim and the program: our own client of an ACP agent. */
  between: number;
}
