import type { AgentConfig } from '../schema/config/agent.ts';
import type { ProgramSearch } from './program.ts';

/** The configuration of a vendor's agent. */
export interface VendorAgentOptions {
  name: string;
  config: AgentConfig;
  search: ProgramSearch;
  env?: NodeJS.ProcessEnv;
}
