import type { PolicyRequest, ToolKind } from './decide-policy.ts';

/** The names that vendors give to the tools that every agent has. */
const KINDS: readonly (readonly [ToolKind, RegExp])[] = [
  ['Bash', /^(bash|shell|shelltool|exec_command|run_shell_command|command_execution|execute|terminal|local_shell)$/i],
  [
    'Edit',
    /^(edit|multiedit|write|notebookedit|write_file|replace|apply_patch|file_change|delete|move|create|str_replace.*)$/i,
  ],
  [
    'Read',
    /^(read|grep|glob|ls|search|think|read_file|read_many_files|list_directory|search_file_content|notebookread)$/i,
  ],
  ['WebFetch', /^(webfetch|websearch|web_fetch|web_search|google_web_search|fetch)$/i],
];
/** Where a call has a patch in the form of Codex. */
const PATCHES = ['command', 'input', 'patch'];
const PATCHED = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm;
const PATHS = ['file_path', 'filePath', 'filepath', 'notebook_path', 'path', 'absolute_path'];

/** What a vendor's tool is by our names. */
export function kindOfTool(name: string): ToolKind {
  return KINDS.find(([, pattern]) => pattern.test(name))?.[0] ?? 'other';
}

/** A call of a tool as rules see it; `inside` gives the path in the workspace, or the absolute one of a file elsewhere. */
export function requestOf(
  call: { name: string; input: unknown },
  { role, inside }: { role: string; inside(path: string): string },
): PolicyRequest {
  const fields = typeof call.input === 'object' && call.input !== null ? { ...call.input } : {};
  const values = new Map<string, unknown>(Object.entries(fields));
  const kind = kindOfTool(call.name);
  const command = commandText(values.get('command'));
  const named = PATHS.flatMap((key) => {
    const value = values.get(key);
    return typeof value === 'string' && value !== '' ? [value] : [];
  });
  const patched = kind === 'Edit' ? PATCHES.flatMap((key) => pathsInPatch(values.get(key))) : [];
  const paths = [...named, ...patched].map(inside);
  const host = hostOf(values.get('url'));
  return {
    role,
    tool: call.name,
    kind,
    ...(paths.length === 0 ? {} : { paths: [...new Set(paths)] }),
    ...(command === undefined || kind === 'Edit' ? {} : { command }),
    ...(host === undefined ? {} : { host }),
    inside,
  };
}

/** The files that a patch changes. */
function pathsInPatch(patch: unknown): string[] {
  if (typeof patch !== 'string' || !patch.includes('*** Begin Patch')) return [];
  return [...patch.matchAll(PATCHED)].flatMap(([, path = '']) => path.trim() || []);
}

function commandText(command: unknown): string | undefined {
  if (typeof command === 'string') return command;
  return Array.isArray(command) ? command.map(String).join(' ') : undefined;
}

function hostOf(url: unknown): string | undefined {
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).hostname : undefined;
}
