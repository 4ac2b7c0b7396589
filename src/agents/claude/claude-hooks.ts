import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Assignment } from '../agent.ts';

const Settings = z.looseObject({ hooks: z.record(z.string(), z.array(z.unknown())).optional() });
const WRITING_TOOLS = 'Edit|MultiEdit|Write|NotebookEdit|Bash';
const TIMEOUT_SECONDS = 30;

/**
 * The settings that Claude is given: those of the repository that the user trusts, and above them a hook of ours which
 * refuses a tool that would write outside the task's scope. Without a scope the settings stay as they are.
 */
export async function claudeSettings(
  { folder, workspace, scopes = [] }: Assignment,
  trusted: string | undefined,
): Promise<string | undefined> {
  if (scopes.length === 0) return trusted;
  const order = join(folder, 'scope.json');
  await writeFile(order, JSON.stringify({ workspace, scopes }), { mode: 0o600 });
  const command = [...hookProgram(), order].map(quoted).join(' ');
  const ours = { matcher: WRITING_TOOLS, hooks: [{ type: 'command', command, timeout: TIMEOUT_SECONDS }] };
  const { hooks = {}, ...others } = settingsIn(trusted);
  const { PreToolUse = [] } = hooks;
  return JSON.stringify({ ...others, disableAllHooks: false, hooks: { ...hooks, PreToolUse: [ours, ...PreToolUse] } });
}

/** What is no object of settings would not be obeyed by Claude either. */
function settingsIn(text: string | undefined): z.infer<typeof Settings> {
  try {
    return Settings.safeParse(JSON.parse(text ?? '{}')).data ?? {};
  } catch {
    // Neither would what is no JSON.
    return {};
  }
}

/** Beside the built program, or the source of it, which Node runs as it is. */
function hookProgram(): string[] {
  const built = fileURLToPath(new URL('./scope-hook.js', import.meta.url));
  const source = fileURLToPath(new URL('../../gates/scope/scope-hook-program.ts', import.meta.url));
  return [process.execPath, existsSync(built) ? built : source];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
