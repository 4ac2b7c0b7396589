import { relative, resolve } from 'node:path';
import { z } from 'zod';
import { realPath, scopeRefusal, writtenPaths } from '../../gates/scope/scope-hook.ts';
import { shellPrefixes } from '../tool-call.ts';
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

const READING = new Set(['read', 'search', 'think', 'fetch']);
const EDITING = new Set(['edit', 'delete', 'move']);
const READING_COMMANDS = ['git blame', 'git diff', 'git log', 'git ls-files', 'git show', 'git status'];
/** Shell syntax that runs more than the listed programs in sequence. */
const HIDDEN = /`|\$\(|<\(|>\(|\n/;
const REDIRECTED = /[<>]/;
const DEVICES = new Set(['/dev/null', '/dev/stdout', '/dev/stderr', '/dev/tty']);

/**
 * Why a request is refused, or undefined if it is granted: decided by the role, the kind of tool, the paths that it names
 * and the scope of the task, and for commands by the programs that they run. What cannot be judged is refused.
 */
export function refusalOf({ toolCall }: PermissionRequest, rights: Rights): string | undefined {
  const { access, permission } = rights;
  const name = toolCall.name ?? '';
  const kind = toolCall.kind ?? '';
  const command = kind === 'execute' ? commandOf(toolCall) : undefined;
  if (rights.disallowedTools.includes(name) || isRefused(command, rights)) return 'it is disallowed by the settings';
  const mayWrite = access === 'write' && permission !== 'plan';
  const paths = namedPaths(toolCall);
  if (READING.has(kind)) return permission === 'bypass' ? undefined : outsideOf(paths, rights);
  if (!mayWrite) {
    const isReading = command !== undefined && !REDIRECTED.test(command) && runsOnly(command, READING_COMMANDS);
    return isReading ? undefined : 'the role is read-only';
  }
  const written = command === undefined ? paths : writtenPaths(shellText(command));
  const refusal = writeRefusal(written, rights);
  if (refusal !== undefined || permission === 'bypass') return refusal;
  if (rights.allowedTools.includes(name) || isOfServer(toolCall, rights)) return undefined;
  if (EDITING.has(kind)) {
    if (permission !== 'acceptEdits') return `the permission mode is ${permission}`;
    return paths.length === 0 ? 'it does not name the file' : undefined;
  }
  const isAllowed = command !== undefined && runsOnly(command, allowedCommands(rights));
  return isAllowed ? undefined : 'it is not among the allowed tools and programs';
}

/** Why a file must not be written, or undefined: outside the workspace and the added folders, in `.git`, or out of scope. */
function writeRefusal(paths: readonly string[], rights: Rights): string | undefined {
  const { permission, workspace, scopes } = rights;
  const outside = permission === 'bypass' ? undefined : (outsideOf(paths, rights) ?? gitFolderIn(paths, workspace));
  return outside ?? scopeRefusal({ workspace, scopes }, paths, workspace);
}

function outsideOf(paths: readonly string[], { workspace, addDirs }: Rights): string | undefined {
  const roots = [workspace, ...addDirs].map((folder) => realPath(folder));
  const isInside = (path: string) => roots.some((root) => path === root || path.startsWith(`${root}/`));
  const found = paths.find((path) => !isInside(realPath(resolve(workspace, path))) && !DEVICES.has(path));
  return found === undefined ? undefined : `${found} is outside the workspace`;
}

/** Git's own files can start programs. */
function gitFolderIn(paths: readonly string[], workspace: string): string | undefined {
  const root = realPath(workspace);
  const found = paths.find((path) => relative(root, realPath(resolve(workspace, path))).split('/')[0] === '.git');
  return found === undefined ? undefined : `${found} belongs to git`;
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

function isRefused(command: string | undefined, { disallowedTools }: Rights): boolean {
  const refused = shellPrefixes(disallowedTools);
  return command !== undefined && simpleCommands(command).some((command) => startsWithAny(command, refused));
}

function allowedCommands({ permission, allowedCli, allowedTools }: Rights): string[] {
  return [...(permission === 'acceptEdits' ? ['git'] : []), ...allowedCli, ...shellPrefixes(allowedTools)];
}

function runsOnly(command: string, allowed: readonly string[]): boolean {
  return !HIDDEN.test(command) && simpleCommands(command).every((command) => startsWithAny(command, allowed));
}

/** A command without the shell that runs it. */
function shellText(command: string): string {
  return /^(?:\S*\/)?(?:ba|z)?sh -l?c (['"]?)([\s\S]*)\1$/.exec(command)?.[2] ?? command;
}

function simpleCommands(command: string): string[] {
  return shellText(command)
    .split(/&&|\|\||[;|&]/)
    .map((command) => command.trim());
}

function startsWithAny(command: string, prefixes: readonly string[]): boolean {
  return prefixes.some((prefix) => command === prefix || command.startsWith(`${prefix} `));
}

/** Tools of MCP servers that the user configured are allowed; agents name the server in different fields. */
function isOfServer({ name, toolCallId, rawInput }: PermissionRequest['toolCall'], { mcp }: Rights): boolean {
  const named = ServerCall.safeParse(rawInput).data?.server;
  const isCalled = (server: string) =>
    [`mcp__${server}__`, `mcp_${server}_`].some((prefix) => name?.startsWith(prefix) || toolCallId.startsWith(prefix));
  return Object.keys(mcp).some((server) => named === server || isCalled(server));
}
