import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { z } from 'zod';
import { type Decided, decidePolicy, type RuleList, refusalText } from '../../core/policy/decide-policy.ts';
import { scopeList } from '../../core/policy/rule-lists.ts';
import { requestOf } from '../../core/policy/tool-request.ts';
import { PolicyDecision } from '../../schema/config/policy.ts';
import { shownPath } from '../gate.ts';

const Patterns = z.array(z.string()).optional();

const Rules = z.array(
  z.object({
    decision: PolicyDecision,
    tool: Patterns,
    path: Patterns,
    command: Patterns,
    host: Patterns,
    role: Patterns,
    reason: z.string().optional(),
    source: z.string(),
  }),
);

/** The rules of one attempt, as its agent's program and its hook get them in a file. */
export const AttemptRules = z.object({
  /** Which files of the repository may be changed; all scopes apply. */
  scopes: z
    .array(z.object({ allow: z.array(z.string()), deny: z.array(z.string()), also: z.array(z.string()) }))
    .optional(),
  /** The rules of the person and of the project, and what a person has approved for this task. */
  policy: z.object({ role: z.string(), person: Rules, project: Rules, granted: z.array(z.string()) }).optional(),
});

/** The input of the hook of one attempt, as a file: the workspace, and its rules. */
export const ScopeHookInput = AttemptRules.extend({ workspace: z.string() });
export type ScopeHookInput = z.infer<typeof ScopeHookInput>;

/** The request of the agent's program before it uses a tool, as far as it matters here. */
const ToolUse = z.object({
  tool_name: z.string(),
  cwd: z.string().optional(),
  tool_input: z.record(z.string(), z.unknown()),
});

const MAX_LINKS = 64;
const NO_POLICY = { role: '', person: [], project: [], granted: [] };

/**
 * Why a tool must not be used, if it must not: a rule refuses it, or a person must approve it first. For changed files it
 * spares the agent a wasted attempt; what decides is the gate that inspects the saved work.
 */
export function refusal(input: ScopeHookInput, request: string): string | undefined {
  const use = readUse(request);
  if (use === undefined) return 'What the tool is to do could not be read';
  const inside = pathIn(input.workspace, use.cwd ?? realPath(input.workspace));
  const { scopes = [], policy = NO_POLICY } = input;
  const call = requestOf({ name: use.tool_name, input: use.tool_input }, { role: policy.role, inside });
  const lists = [...scopes.map(scopeList), policy.project, policy.person];
  const decided = decidePolicy(lists, call, policy.granted);
  return decided.decision === 'allow' ? undefined : explained(decided, lists);
}

/** Why a call is refused, for the agent: a scope with what it allows. */
export function explained(decided: Decided, lists: readonly RuleList[]): string {
  if (decided.path === undefined || decided.rule?.source.startsWith('scope.') !== true) return refusalText(decided);
  return `${shownPath(decided.path)} ${decided.rule.reason} in this task. ${scopeText(lists)}`;
}

/** Turns paths of a call into paths of the repository, through every link; those elsewhere stay absolute. */
export function pathIn(workspace: string, cwd: string): (path: string) => string {
  const root = realPath(workspace);
  return (path) => {
    const absolute = realPath(resolve(cwd, path));
    const inside = relative(root, absolute);
    return inside === '..' || inside.startsWith('../') || isAbsolute(inside) ? absolute : inside || absolute;
  };
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
export function realPath(path: string, left = MAX_LINKS): string {
  try {
    return realpathSync(path);
  } catch {
    // It is missing or not readable: then its folder decides.
    const folder = dirname(path);
    return folder === path || left === 0 ? path : join(realPath(folder, left - 1), basename(path));
  }
}

function scopeText(lists: readonly RuleList[]): string {
  const paths = (decision: string, source: string) =>
    lists.flatMap((rules) =>
      rules.flatMap((rule) => (rule.decision === decision && rule.source === source ? (rule.path ?? []) : [])),
    );
  const [allowed, denied] = [paths('allow', 'scope.allow'), paths('deny', 'scope.deny')];
  return [
    ...(allowed.length === 0 ? [] : [`Allowed: ${allowed.slice(0, 50).join(', ')}.`]),
    ...(denied.length === 0 ? [] : [`Denied: ${denied.slice(0, 50).join(', ')}.`]),
  ].join(' ');
}
