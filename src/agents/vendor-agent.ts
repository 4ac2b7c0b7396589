import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isAbsent } from '../errors.ts';
import { promptText } from '../roles/prompt.ts';
import type { AgentConfig } from '../schema/config/agent.ts';
import type { TrustedFile } from './agent.ts';
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
  /** The file of a project says where its program is. */
  isOfProject?: boolean;
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

/** Whether there are settings files under these names and every one of them is trusted: a program obeys all or none. */
export async function areAllTrusted(
  workspace: string,
  names: readonly string[],
  trusted: readonly TrustedFile[],
): Promise<boolean> {
  if (trusted.length === 0) return false;
  const isTrusted = new Set(trusted.map(({ path }) => join(workspace, path)));
  const files = (await Promise.all(names.map((name) => filesUnder(join(workspace, name))))).flat();
  return files.length > 0 && files.every((file) => isTrusted.has(file));
}

async function filesUnder(path: string): Promise<string[]> {
  const found = await lstat(path).catch((error: unknown) => {
    if (isAbsent(error)) return undefined;
    throw error;
  });
  if (found === undefined) return [];
  if (!found.isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
}
