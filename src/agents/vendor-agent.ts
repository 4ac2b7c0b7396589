import { readFile } from 'node:fs/promises';
import { promptText } from '../roles/prompt.ts';
import type { AgentConfig } from '../schema/config/agent.ts';
import type { ProgramSearch } from './program.ts';

type Account = { env: Readonly<Record<string, string>>; configDir?: string | undefined };

/** Linux accepts no argument longer than 128 KiB. */
const LONGEST_ARGUMENT = 100_000;

/** The configuration of a vendor's agent. */
export interface VendorAgentOptions {
  name: string;
  config: AgentConfig;
  search: ProgramSearch;
  env?: NodeJS.ProcessEnv;
}

/** The prompt as an argument, or a reference to its file if it is too long. */
export async function promptArgument(promptFile: string): Promise<string> {
  const prompt = await readFile(promptFile, 'utf8');
  if (Buffer.byteLength(prompt) <= LONGEST_ARGUMENT) return prompt;
  return promptText('roles/sections/read-prompt-file', { file: promptFile });
}

/** The variables that select an account; its settings folder is passed in the vendor's own variable. */
export function accountVariables(account: Account, folderVariable: string): Record<string, string> {
  return { ...account.env, ...(account.configDir === undefined ? {} : { [folderVariable]: account.configDir }) };
}
