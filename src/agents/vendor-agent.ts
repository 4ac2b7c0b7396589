import type { AgentConfig } from '../schema/config/agent.ts';
import type { ProgramSearch } from './program.ts';

/** The place of a vendor's agent in the configuration. */
export interface VendorAgentOptions {
  name: string;
  config: AgentConfig;
  search: ProgramSearch;
  env?: NodeJS.ProcessEnv;
}
