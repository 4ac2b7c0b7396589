import { z } from 'zod';
import type { Assignment } from '../agent.ts';
import { HOOK_SECONDS, hasRules, prepareToolHook } from '../tool-hook.ts';

const Settings = z.looseObject({ hooks: z.record(z.string(), z.array(z.unknown())).optional() });
const EVERY_TOOL = '*';
const EDITING_TOOLS = 'Edit|MultiEdit|Write|NotebookEdit';
const WRITING_TOOLS = `${EDITING_TOOLS}|Bash`;

/**
 * The settings passed to Claude: those of the repository that the user trusts, and before them a hook that refuses a tool
 * which would write outside the task's scope, or which a rule refuses, and that warns of edits without a lock.
 */
export async function claudeSettings(assignment: Assignment, trusted: string | undefined): Promise<string | undefined> {
  const command = await prepareToolHook(assignment, 'rules');
  if (command === undefined) return trusted;
  const hook = { matcher: matcherFor(assignment), hooks: [{ type: 'command', command, timeout: HOOK_SECONDS }] };
  const { hooks = {}, ...others } = settingsIn(trusted);
  const { PreToolUse = [] } = hooks;
  // Hooks that the user's trusted settings turn off stay off; only the one that enforces rules cannot be.
  const isOff = others.disableAllHooks === true && !hasRules(assignment);
  if (isOff) return trusted;
  return JSON.stringify({ ...others, disableAllHooks: false, hooks: { ...hooks, PreToolUse: [hook, ...PreToolUse] } });
}

function matcherFor(assignment: Assignment): string {
  if (assignment.policy !== undefined) return EVERY_TOOL;
  return hasRules(assignment) ? WRITING_TOOLS : EDITING_TOOLS;
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
