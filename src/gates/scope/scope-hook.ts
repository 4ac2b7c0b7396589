import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { z } from 'zod';
import { shownPath } from '../gate.ts';
import { scopeMatcher } from './scope-matcher.ts';

/** Programs all of whose operands they write to, and those whose last operand it is. */
const WRITES_ALL = new Set(['rm', 'rmdir', 'unlink', 'shred', 'mv', 'touch', 'truncate', 'tee', 'chmod', 'chown']);

const WRITES_LAST = new Set(['cp', 'ln', 'install', 'sed', 'perl']);

const EDITS_IN_PLACE = /^-[a-z]*i/;

/** Operators, then words made of quoted and plain parts. */
const TOKEN = /(\d?>>?\|?|&>>?)|(&&|\|\||[;|&\n()])|((?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s;|&<>()'"\\])+)/g;

/** What the shell would make something else of is not known from here. */
const UNKNOWN = /[$`*?~{[]/;

const LONGEST_COMMAND = 20_000;

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
  return scopeRefusal(input, written, cwd);
}

/** Why one of the paths must not be written in the scopes, or undefined; paths outside the workspace are in no scope. */
export function scopeRefusal(input: ScopeHookInput, written: readonly string[], cwd: string): string | undefined {
  const root = realPath(input.workspace);
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
export function realPath(path: string, left = MAX_LINKS): string {
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

/**
 * Paths that a shell command plainly writes to: where its output goes, and operands of programs that write. It errs on
 * the side of seeing too little; a relative path counts only where no `cd` comes before it.
 */
export function writtenPaths(command: string): string[] {
  const written: string[] = [];
  let words: string[] = [];
  let isRedirected = false;
  let hasMoved = false;
  const end = () => {
    hasMoved ||= words[0] === 'cd' || words[0] === 'pushd';
    written.push(...targetsOf(words).filter((path) => path.startsWith('/') || !hasMoved));
    words = [];
  };
  for (const [, redirect, operator, word] of command.slice(0, LONGEST_COMMAND).matchAll(TOKEN)) {
    if (redirect !== undefined) isRedirected = true;
    else if (operator !== undefined) {
      // `>&2` goes to no file.
      isRedirected = false;
      end();
    } else if (word !== undefined && !UNKNOWN.test(word)) {
      const plain = unquoted(word);
      if (isRedirected && (plain.startsWith('/') || !hasMoved)) written.push(plain);
      else if (!isRedirected) words.push(plain);
      isRedirected = false;
    } else isRedirected = false;
  }
  end();
  return written;
}

function targetsOf(words: readonly string[]): string[] {
  const at = words.findIndex((word) => !/^\w+=/.test(word) && word !== 'sudo' && word !== 'command');
  const program = words[at] ?? '';
  const rest = words.slice(at + 1);
  const operands = rest.filter((word) => !word.startsWith('-'));
  if (WRITES_ALL.has(program)) return operands;
  if (!WRITES_LAST.has(program)) return [];
  const isEditor = program === 'sed' || program === 'perl';
  if (isEditor && !rest.some((word) => EDITS_IN_PLACE.test(word) || word.startsWith('--in-place'))) return [];
  return operands.slice(1).slice(-1);
}

function unquoted(word: string): string {
  return word.replace(
    /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/g,
    (_, single?: string, double?: string, escaped?: string) => {
      return single ?? double?.replace(/\\(["\\])/g, '$1') ?? escaped ?? '';
    },
  );
}
