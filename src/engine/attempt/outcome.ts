import type { AgentResult } from '../../agents/agent.ts';
import type { Digest } from '../../risks/risk.ts';
import type { Failure } from '../../schema/failure.ts';

/** The outcome of a supervised process: the agent's own result, what it did, and why we stopped it, if we did. */
export type Outcome = {
  result: AgentResult;
  digest: Digest | undefined;
  model: string | undefined;
  stopped: Failure | undefined;
  /** It ended, and whether it succeeded was not recorded: its work decides. */
  isEndUnknown?: boolean;
};
