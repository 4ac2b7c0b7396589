import { lstat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isAbsent } from '../../errors.ts';
import type { Assignment } from '../agent.ts';

/** How a known program is prevented from obeying the repository's own settings. */
type Restriction = {
  /** The settings files that it would obey. */
  files: RegExp;
  /** Variables that disable or enable these settings; without them the program cannot be restricted. */
  env?: { without: Readonly<Record<string, string>>; with: Readonly<Record<string, string>> };
  /** Files that it always obeys. */
  obeyed?: readonly string[];
  /** If none of these files exists the restriction is not needed, which would also disable our MCP servers. */
  names?: readonly string[];
};

/** By program name; Claude is restricted when its session is opened, and Codex trusts every folder it works in. */
const KNOWN: readonly (readonly [RegExp, Restriction])[] = [
  [/claude/, { files: /^\.claude\/|^\.mcp\.json$/, env: { without: {}, with: {} } }],
  [
    /gemini/,
    {
      files: /^\.gemini\//,
      names: ['.gemini', '.env'],
      env: { without: { GEMINI_CLI_TRUST_WORKSPACE: 'false' }, with: { GEMINI_CLI_TRUST_WORKSPACE: 'true' } },
    },
  ],
  [
    /opencode/,
    {
      files: /^\.opencode\/|^opencode\.jsonc?$/,
      env: { without: { OPENCODE_DISABLE_PROJECT_CONFIG: 'true' }, with: {} },
    },
  ],
  [/codex/, { files: /^\.codex\//, obeyed: ['.codex/config.toml', '.codex/hooks.json'] }],
];

/** Whether a program can be prevented from obeying the repository's settings; false for unknown programs. */
export function canRestrict(program: string): boolean {
  return restrictionFor(program)?.env !== undefined;
}

/** The variables that disable the repository's settings, or enable those that the user trusts. */
export async function restrictingVariables(
  program: string,
  { workspace, settings }: Assignment,
): Promise<Record<string, string>> {
  const { files, env, names } = restrictionFor(program) ?? {};
  const isTrusted = settings.trusted.some(({ path }) => files?.test(path) === true);
  const isHarmless = names !== undefined && !(await existsAny(workspace, names));
  return { ...(isTrusted || isHarmless ? env?.with : env?.without) };
}

async function existsAny(folder: string, names: readonly string[]): Promise<boolean> {
  for (const name of names) {
    const exists = await lstat(join(folder, name)).then(
      () => true,
      (error: unknown) => !isAbsent(error),
    );
    if (exists) return true;
  }
  return false;
}

/** The settings files that a program always obeys. */
export function obeyedBy(program: string): readonly string[] {
  return restrictionFor(program)?.obeyed ?? [];
}

function restrictionFor(program: string): Restriction | undefined {
  return KNOWN.find(([pattern]) => pattern.test(basename(program)))?.[1];
}
