import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { decidePolicy, type RuleDecision, type RuleList, refusalText } from '../../core/policy/decide-policy.ts';
import { scopeList } from '../../core/policy/rule-lists.ts';
import { requestOf } from '../../core/policy/tool-request.ts';
import { shownPath } from '../shown-path.ts';
import type { AttemptRules } from './attempt-rules.ts';

/** The input of the hook of one attempt, which Manyhands writes to a file: the workspace, its rules, and how its tools are reached. */
export type ScopeHookInput = AttemptRules & { workspace: string; tools?: string };

/** The request of the agent's program before or after it uses a tool, as far as it matters here. */
export type ToolUse = { event: string; name: string; cwd: string | undefined; input: Record<string, unknown> };

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
  const call = requestOf(use, { role: policy.role, inside });
  const lists = [...scopes.map(scopeList), policy.project, policy.person];
  const decided = decidePolicy(lists, call, policy.granted);
  return decided.decision === 'allow' ? undefined : explained(decided, lists);
}

/** Why a call is refused, for the agent: a scope with what it allows. */
export function explained(decided: RuleDecision, lists: readonly RuleList[]): string {
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

/** The use of a tool in a request; undefined where it cannot be read. */
export function readUse(request: string): ToolUse | undefined {
  const { tool_name: name, tool_input: input, cwd, hook_event_name: event } = fieldsOf(request);
  if (typeof name !== 'string' || typeof input !== 'object' || input === null || Array.isArray(input)) return undefined;
  if (cwd !== undefined && typeof cwd !== 'string') return undefined;
  return { name, input: { ...input }, cwd, event: typeof event === 'string' ? event : '' };
}

/** Without zod, which takes as long to load as everything else in the hook. */
function fieldsOf(request: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(request);
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  } catch {
    // Whatever is no JSON cannot be judged either.
    return {};
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
