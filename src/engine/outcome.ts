import type { AgentResult } from '../agents/agent.ts';
import type { Failure } from '../schema/failure.ts';

/** What came of watching a process: the agent's own result, and the reason for which we stopped it, if we did. */
export type Outcome = { result: AgentResult; stopped: Failure | undefined };
