import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { z } from 'zod';
import { shownPath } from '../inspection.ts';
import { writtenPaths } from './command-targets.ts';
import { scopeMatcher } from './scope-matcher.ts';

/** The input of the hook of one attempt, as a file: the workspace, and the scopes that all apply there. */
export const ScopeHookInput = z.object({
  workspace: z.string(),
  scopes: z.array(z.object({ allow: z.array(z.string()), deny: z.array(z.string()), also: z.array(z.string()) })),
});
export type ScopeHookInput = z.infer<typeof ScopeHookInput>;

/** The request of the agent's program before it uses a tool, as far as it matters here. */
const ToolUse = z.object({
  tool_name: z.string(),
  cwd: z.string().optional(),
  tool_input: z.object({
    file_path: z.string().optional(),
    notebook_path: z.string().optional(),
    command: z.string().optional(),
  }),
});

const MAX_LINKS = 64;

/**
 * Why a tool must not be used, if it must not: it would write to a file of the repository outside the scope. It spares
 * the agent a wasted attempt; what decides is the gate that inspects the saved work.
 */
export function refusal(input: ScopeHookInput, request: string): string | undefined {
  const use = readUse(request);
  if (use === undefined) return 'What the tool is to do could not be read';
  const { file_path, notebook_path, command } = use.tool_input;
  const root = realPath(input.workspace);
  const cwd = use.cwd ?? root;
  const written = [
    ...[file_path, notebook_path].flatMap((path) => path ?? []),
    ...(command === undefined ? [] : writtenPaths(command)),
  ];
  const judges = input.scopes.map((scope) => scopeMatcher(scope));
  for (const path of written) {
    const inside = relative(root, realPath(resolve(cwd, path)));
    if (inside === '' || inside === '..' || inside.startsWith('../') || isAbsolute(inside)) continue;
    for (const judge of judges) {
      const reason = judge(inside);
      if (reason !== undefined) return `${shownPath(inside)} ${reason} in this task. ${rules(input)}`;
    }
  }
  return undefined;
}

function readUse(request: string): z.infer<typeof ToolUse> | undefined {
  try {
    return ToolUse.safeParse(JSON.parse(request)).data;
  } catch {
    // Whatever is no JSON cannot be judged either.
    return undefined;
  }
}

/** Where a path leads, through every link, also when its last parts are not there yet. */
function realPath(path: string, left = MAX_LINKS): string {
  try {
    return realpathSync(path);
  } catch {
    // It is missing or not readable: then its folder decides.
    const folder = dirname(path);
    return folder === path || left === 0 ? path : join(realPath(folder, left - 1), basename(path));
  }
}

function rules({ scopes }: ScopeHookInput): string {
  const allowed = scopes.flatMap(({ allow, also }) => (allow.length === 0 ? [] : [...allow, ...also]));
  const denied = scopes.flatMap(({ deny }) => deny);
  return [
    ...(allowed.length === 0 ? [] : [`Allowed: ${allowed.slice(0, 50).join(', ')}.`]),
    ...(denied.length === 0 ? [] : [`Denied: ${denied.slice(0, 50).join(', ')}.`]),
  ].join(' ');
}
