import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ScopeHookInput } from '../gates/scope/scope-hook.ts';
import type { Assignment } from './agent.ts';

/** What the hook does: refuse by the rules of the attempt, and warn; or only warn. */
type HookUse = 'rules' | 'warnings';

/** How long a program waits for its hook. */
export const HOOK_SECONDS = 30;

/**
 * The command of the hook that a vendor's program calls around the use of a tool; undefined where it has nothing to do.
 * It warns an agent that edits files without a lock, and with `rules` it refuses what a scope or a rule refuses.
 */
export async function prepareToolHook(assignment: Assignment, use: HookUse): Promise<string | undefined> {
  const { folder, workspace, scopes = [], policy, access, toolsFile } = assignment;
  const isRuled = use === 'rules' && hasRules(assignment);
  const warns = access === 'write' && toolsFile !== undefined;
  if (!isRuled && !warns) return undefined;
  const inputFile = join(folder, 'tool-hook.json');
  const input: { [Key in keyof ScopeHookInput]: unknown } = {
    workspace,
    ...(isRuled ? { scopes, policy } : {}),
    ...(warns ? { tools: toolsFile } : {}),
  };
  await writeFile(inputFile, JSON.stringify(input), { mode: 0o600 });
  return [...hookProgram(), inputFile, isRuled ? 'rules' : 'warnings'].map(quoted).join(' ');
}

/** Whether an attempt has rules that a hook can apply. */
export function hasRules({ scopes = [], policy }: Assignment): boolean {
  return scopes.length > 0 || policy !== undefined;
}

/** The built program if there is one, else its source, which Node runs directly. */
function hookProgram(): string[] {
  const built = fileURLToPath(new URL('./tool-hook.js', import.meta.url));
  const source = fileURLToPath(new URL('./tool-hook-program.ts', import.meta.url));
  return [process.execPath, existsSync(built) ? built : source];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
