import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { applyEdits, type FormattingOptions, type JSONPath, modify, type ParseError, parse } from 'jsonc-parser';
import { parse as parseToml, stringify } from 'smol-toml';
import { z } from 'zod';
import { AppError } from '../../errors.ts';

/** How an assistant starts our server. */
export type ServerEntry = { command: string; args: string[]; env: Record<string, string> };

/** An assistant whose settings we can edit: where they are, and how an entry looks in them. */
export type Assistant = {
  name: string;
  /** Its settings file. */
  file(env: NodeJS.ProcessEnv): string;
  /** Our entry in the text of the file; undefined if there is none. */
  read(text: string): ServerEntry | undefined;
  /** The text with our entry; undefined is a missing file. */
  write(text: string | undefined, entry: ServerEntry): string;
  /** The text without our entry. */
  remove(text: string): string;
};

const SERVER = 'manyhands';
const LocalEntry = z.object({
  command: z.string(),
  args: z.array(z.string()).default([]),
  env: z.record(z.string(), z.string()).default({}),
});
const OpencodeEntry = z.object({
  command: z.array(z.string()).min(1),
  environment: z.record(z.string(), z.string()).default({}),
});

/** An entry as one kind of file has it. */
type Format = { path: JSONPath; to(entry: ServerEntry): object; from(value: unknown): ServerEntry | undefined };

const COMMON: Format = {
  path: ['mcpServers', SERVER],
  to: ({ command, args, env }) => ({ command, args, ...(Object.keys(env).length === 0 ? {} : { env }) }),
  from: (value) => LocalEntry.safeParse(value).data,
};
const CLAUDE: Format = { ...COMMON, to: (entry) => ({ type: 'stdio', ...COMMON.to(entry) }) };
const OPENCODE: Format = {
  path: ['mcp', SERVER],
  to: ({ command, args, env }) => ({
    type: 'local',
    command: [command, ...args],
    enabled: true,
    ...(Object.keys(env).length === 0 ? {} : { environment: env }),
  }),
  from: (value) => {
    const found = OpencodeEntry.safeParse(value).data;
    if (found === undefined) return undefined;
    const [command = '', ...args] = found.command;
    return { command, args, env: found.environment };
  },
};

/** Every assistant that `manyhands mcp install` knows. */
export const ASSISTANTS: readonly Assistant[] = [
  jsonAssistant('claude', CLAUDE, (env) => join(env.CLAUDE_CONFIG_DIR ?? homeOf(env), '.claude.json')),
  {
    name: 'codex',
    file: (env) => join(env.CODEX_HOME ?? join(homeOf(env), '.codex'), 'config.toml'),
    read: (text) => COMMON.from(serversOf(text)[SERVER]),
    write: writeToml,
    remove: removeToml,
  },
  jsonAssistant('gemini', COMMON, (env) => join(homeOf(env), '.gemini', 'settings.json')),
  jsonAssistant('cursor', COMMON, (env) => join(homeOf(env), '.cursor', 'mcp.json')),
  jsonAssistant('opencode', OPENCODE, (env) => {
    const folder = join(env.XDG_CONFIG_HOME ?? join(homeOf(env), '.config'), 'opencode');
    const commented = join(folder, 'opencode.jsonc');
    return existsSync(commented) ? commented : join(folder, 'opencode.json');
  }),
];

function homeOf({ HOME }: NodeJS.ProcessEnv): string {
  return HOME ?? homedir();
}

function jsonAssistant(name: string, { path, to, from }: Format, file: Assistant['file']): Assistant {
  const edited = (text: string, value: object | undefined) =>
    applyEdits(text, modify(text, path, value, { formattingOptions: formattingOf(text) }));
  return {
    name,
    file,
    read: (text) => from(path.reduce<unknown>(partOf, parsedJson(text))),
    write: (text, entry) => {
      const before = text === undefined || text.trim() === '' ? '{}\n' : text;
      parsedJson(before);
      return edited(before, to(entry));
    },
    remove: (text) => edited(text, undefined),
  };
}

/** The indentation and line ends that the file has. */
function formattingOf(text: string): FormattingOptions {
  const indent = /\n([ \t]+)"/.exec(text)?.[1] ?? '  ';
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  return { insertSpaces: !indent.includes('\t'), tabSize: indent.includes('\t') ? 1 : indent.length, eol };
}

function parsedJson(text: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown = parse(text.replace(/^\ufeff/, ''), errors, {
    allowTrailingComma: true,
    allowEmptyContent: true,
  });
  if (errors.length === 0 && (value === undefined || (typeof value === 'object' && !Array.isArray(value))))
    return value;
  throw new AppError('INPUT_INVALID', 'The file is not a JSON object; correct it first, so that nothing in it is lost');
}

function partOf(value: unknown, key: string | number): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([name]) => name === key)?.[1]
    : undefined;
}

const TOML_NOTE = '# Added by manyhands mcp install codex';
const OWN_TABLE = /^\[\s*mcp_servers\s*\.\s*["']?manyhands["']?\s*[\].]/;

function writeToml(text: string | undefined, entry: ServerEntry): string {
  const rest = text === undefined ? '' : removeToml(text);
  const known = serversOf(rest)[SERVER];
  if (known !== undefined)
    throw new AppError('INPUT_INVALID', 'The file has an entry mcp_servers.manyhands in another form; remove it first');
  const table = stringify({ mcp_servers: { [SERVER]: COMMON.to(entry) } });
  const separator = rest === '' || rest.endsWith('\n\n') ? '' : rest.endsWith('\n') ? '\n' : '\n\n';
  return `${rest}${separator}${TOML_NOTE}\n${table.trim()}\n`;
}

/** Removes our tables and the comment above them, and leaves every other line. */
function removeToml(text: string): string {
  const lines = text.split(/(?<=\n)/);
  let isOwn = false;
  const kept = lines.filter((line) => {
    if (/^\s*\[/.test(line)) isOwn = OWN_TABLE.test(line.trim());
    return !isOwn && line.trim() !== TOML_NOTE;
  });
  return kept.length === lines.length ? text : kept.join('');
}

function serversOf(text: string): Record<string, unknown> {
  try {
    const servers = parseToml(text).mcp_servers;
    return typeof servers === 'object' && servers !== null ? { ...servers } : {};
  } catch (error) {
    throw new AppError(
      'INPUT_INVALID',
      'The file is not TOML; correct it first, so that nothing in it is lost',
      {},
      { cause: error },
    );
  }
}
