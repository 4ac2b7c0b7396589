import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Assignment } from '../agent.ts';

const Settings = z.looseObject({ hooks: z.record(z.string(), z.array(z.unknown())).optional() });
const EVERY_TOOL = '*';
const WRITING_TOOLS = 'Edit|MultiEdit|Write|NotebookEdit|Bash';
const TIMEOUT_SECONDS = 30;

/**
 * The settings passed to Claude: those of the repository that the user trusts, and before them a hook that refuses a tool
 * which would write outside the task's scope, or which a rule refuses. Without both the settings are unchanged.
 */
export async function claudeSettings(
  { folder, workspace, scopes = [], policy }: Assignment,
  trusted: string | undefined,
): Promise<string | undefined> {
  if (scopes.length === 0 && policy === undefined) return trusted;
  const inputFile = join(folder, 'scope.json');
  await writeFile(inputFile, JSON.stringify({ workspace, scopes, policy }), { mode: 0o600 });
  const command = [...hookProgram(), inputFile].map(quoted).join(' ');
  const scopeHook = {
    matcher: policy === undefined ? WRITING_TOOLS : EVERY_TOOL,
    hooks: [{ type: 'command', command, timeout: TIMEOUT_SECONDS }],
  };
  const { hooks = {}, ...others } = settingsIn(trusted);
  const { PreToolUse = [] } = hooks;
  return JSON.stringify({
    ...others,
    disableAllHooks: false,
    hooks: { ...hooks, PreToolUse: [scopeHook, ...PreToolUse] },
  });
}

/** Claude ignores settings that are not an object. */
function settingsIn(text: string | undefined): z.infer<typeof Settings> {
  try {
    return Settings.safeParse(JSON.parse(text ?? '{}')).data ?? {};
  } catch {
    // Claude ignores invalid JSON as well.
    return {};
  }
}

/** The built program if there is one, else its source, which Node runs directly. */
function hookProgram(): string[] {
  const built = fileURLToPath(new URL('./scope-hook.js', import.meta.url));
  const source = fileURLToPath(new URL('../../gates/scope/scope-hook-program.ts', import.meta.url));
  return [process.execPath, existsSync(built) ? built : source];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
