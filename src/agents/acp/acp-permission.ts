import { z } from 'zod';
import { decidePolicy, type ToolKind } from '../../core/policy/decide-policy.ts';
import { attemptLists } from '../../core/policy/rule-lists.ts';
import { explained, pathIn, realPath } from '../../gates/scope/scope-hook.ts';
import type { AcpInput } from './acp-input.ts';

const Option = z.looseObject({ optionId: z.string(), kind: z.string() });

/** An agent's request for permission to call a tool. */
export const PermissionRequest = z.looseObject({
  toolCall: z.looseObject({
    toolCallId: z.string(),
    title: z.string().nullish(),
    name: z.string().nullish(),
    kind: z.string().nullish(),
    rawInput: z.unknown().optional(),
    locations: z
      .array(z.looseObject({ path: z.string() }))
      .nullish()
      .catch(undefined),
    content: z.array(z.unknown()).nullish().catch(undefined),
  }),
  options: z.array(Option),
});
export type PermissionRequest = z.infer<typeof PermissionRequest>;

export type Rights = Pick<
  AcpInput,
  | 'access'
  | 'permission'
  | 'allowedTools'
  | 'disallowedTools'
  | 'allowedCli'
  | 'mcp'
  | 'workspace'
  | 'addDirs'
  | 'scopes'
  | 'policy'
>;

const Command = z.object({ command: z.union([z.string(), z.array(z.string()).transform((words) => words.join(' '))]) });

const Path = z.string().optional().catch(undefined);
const PathInput = z.object({
  file_path: Path,
  filePath: Path,
  filepath: Path,
  notebook_path: Path,
  path: Path,
  absolute_path: Path,
});
const Diff = z.looseObject({ type: z.literal('diff'), path: z.string() });

const ServerCall = z.object({ server: z.string(), tool: z.string() });

/** What the protocol's kinds of tools are by our names. */
const KINDS: Readonly<Record<string, ToolKind>> = {
  read: 'Read',
  search: 'Read',
  think: 'Read',
  fetch: 'WebFetch',
  edit: 'Edit',
  delete: 'Edit',
  move: 'Edit',
  execute: 'Bash',
};
const NO_POLICY = { role: '', person: [], project: [], granted: [] };

/**
 * Why a request is refused, or undefined if it is granted: decided by the rules of the settings, the role, the kind of tool,
 * the paths that it names and the scope of the task, and for commands by the programs that they run. What cannot be judged
 * is refused.
 */
export function refusalOf({ toolCall }: PermissionRequest, rights: Rights): string | undefined {
  const { permission, workspace, policy = NO_POLICY } = rights;
  const kind = KINDS[toolCall.kind ?? ''] ?? 'other';
  const paths = namedPaths(toolCall);
  const inside = pathIn(workspace, workspace);
  const lists = attemptLists({
    ...rights,
    addDirs: rights.addDirs.map((folder) => realPath(folder)),
    mcpServers: Object.keys(rights.mcp),
    scopes: rights.scopes ?? [],
    person: policy.person,
    project: policy.project,
  });
  const request = {
    role: policy.role,
    tool: toolName(toolCall, rights),
    kind,
    inside,
    ...(kind === 'Bash' ? { command: commandOf(toolCall) } : { paths: paths.map(inside) }),
  };
  const decided = decidePolicy(lists, request, policy.granted);
  if (decided.decision !== 'allow') return explained(decided, lists);
  const isNamed = kind !== 'Edit' || paths.length > 0 || permission === 'bypass';
  return isNamed || decided.rule?.source !== 'tools.permissionMode' ? undefined : 'it does not name the file';
}

/** The files that a request names; agents name them in different fields. */
function namedPaths({ locations, content, rawInput }: PermissionRequest['toolCall']): string[] {
  const input = PathInput.safeParse(rawInput).data ?? {};
  const diffs = (content ?? []).flatMap((part) => Diff.safeParse(part).data?.path ?? []);
  const inputs = Object.values(input).flatMap((path) => path ?? []);
  return [...new Set([...(locations ?? []).map(({ path }) => path), ...diffs, ...inputs])];
}

/** The option that allows or rejects once; some agents offer only a permanent one. Undefined means cancelled. */
export function chooseOption({ options }: PermissionRequest, granted: boolean): string | undefined {
  const kinds = granted ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always'];
  return kinds.flatMap((kind) => options.find((option) => option.kind === kind)?.optionId ?? [])[0];
}

function commandOf({ rawInput, title }: PermissionRequest['toolCall']): string {
  return Command.safeParse(rawInput).data?.command ?? title ?? '';
}

/** The name of a tool; agents name the server of an MCP tool in different fields. */
function toolName(
  { name, toolCallId, rawInput }: PermissionRequest['toolCall'],
  { mcp, disallowedTools }: Rights,
): string {
  const plain = name ?? '';
  const named = ServerCall.safeParse(rawInput).data?.server;
  const isCalled = (server: string) =>
    [`mcp__${server}__`, `mcp_${server}_`].some((prefix) => plain.startsWith(prefix) || toolCallId.startsWith(prefix));
  const server = Object.keys(mcp).find((each) => named === each || isCalled(each));
  return server === undefined || plain.startsWith('mcp_') || disallowedTools.includes(plain)
    ? plain
    : `mcp__${server}__${plain}`;
}
