import type { AgentResult } from '../../agents/agent.ts';
import type { Digest } from '../../risks/risk.ts';
import type { Failure } from '../../schema/failure.ts';

/** What came of watching a process: the agent's own result, what it did, and the reason for which we stopped it, if we did. */
export type Outcome = {
  result: AgentResult;
  digest: Digest | undefined;
  model: string | undefined;
  stopped: Failure | undefined;
};
