import { z } from 'zod';
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
  }),
  options: z.array(Option),
});
export type PermissionRequest = z.infer<typeof PermissionRequest>;

export type Rights = Pick<
  AcpInput,
  'access' | 'permission' | 'allowedTools' | 'disallowedTools' | 'allowedCli' | 'mcp'
>;

const Command = z.object({ command: z.union([z.string(), z.array(z.string()).transform((words) => words.join(' '))]) });

const ServerCall = z.object({ server: z.string(), tool: z.string() });

const READING = new Set(['read', 'search', 'think', 'fetch']);
const EDITING = new Set(['edit', 'delete', 'move']);
const READING_COMMANDS = ['git blame', 'git diff', 'git log', 'git ls-files', 'git show', 'git status'];
/** Shell syntax that runs more than the listed programs in sequence. */
const HIDDEN = /`|\$\(|<\(|>\(|\n/;
const REDIRECTED = /[<>]/;

/** Whether a request is granted: decided by the kind of tool, and for commands by the programs that they run. */
export function isGranted({ toolCall }: PermissionRequest, rights: Rights): boolean {
  const { access, permission } = rights;
  const name = toolCall.name ?? '';
  const command = toolCall.kind === 'execute' ? commandOf(toolCall) : undefined;
  if (rights.disallowedTools.includes(name) || isRefused(command, rights)) return false;
  const mayWrite = access === 'write' && permission !== 'plan';
  if (mayWrite && permission === 'bypass') return true;
  if (READING.has(toolCall.kind ?? '')) return true;
  if (!mayWrite) return command !== undefined && !REDIRECTED.test(command) && runsOnly(command, READING_COMMANDS);
  if (rights.allowedTools.includes(name) || isOfServer(toolCall, rights)) return true;
  if (EDITING.has(toolCall.kind ?? '')) return permission === 'acceptEdits';
  return command !== undefined && runsOnly(command, allowedCommands(rights));
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

function simpleCommands(command: string): string[] {
  const inner = /^(?:\S*\/)?(?:ba|z)?sh -l?c (['"]?)([\s\S]*)\1$/.exec(command)?.[2] ?? command;
  return inner.split(/&&|\|\||[;|&]/).map((command) => command.trim());
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
