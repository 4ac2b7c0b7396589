import { lstat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isAbsent } from '../../errors.ts';
import type { Assignment } from '../agent.ts';

/** What keeps a program from obeying the repository's own settings, as far as that is known of it. */
type Restraint = {
  /** The settings that it would obey. */
  files: RegExp;
  /** Variables for where they may not be obeyed, and for where they may; without them it cannot be kept from them. */
  env?: { without: Readonly<Record<string, string>>; with: Readonly<Record<string, string>> };
  /** What it obeys whatever we do. */
  obeyed?: readonly string[];
  /** Where none of these stands there is nothing to be kept from, and it keeps what it would lose with them: our servers of tools. */
  names?: readonly string[];
};

/** By the name of the program; Claude is kept from them when its session is opened, and Codex trusts every folder it works in. */
const KNOWN: readonly (readonly [RegExp, Restraint])[] = [
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

/** Whether a program can be kept from the repository's settings; of one that nobody knows it cannot be said. */
export function canRestrain(program: string): boolean {
  return restraintOf(program)?.env !== undefined;
}

/** The variables that keep it from them, or let it obey those that the user trusts as they are. */
export async function restrainingVariables(
  program: string,
  { workspace, settings }: Assignment,
): Promise<Record<string, string>> {
  const { files, env, names } = restraintOf(program) ?? {};
  const isTrusted = settings.trusted.some(({ path }) => files?.test(path) === true);
  const isHarmless = names !== undefined && !(await isAnyThere(workspace, names));
  return { ...(isTrusted || isHarmless ? env?.with : env?.without) };
}

async function isAnyThere(folder: string, names: readonly string[]): Promise<boolean> {
  for (const name of names) {
    const isThere = await lstat(join(folder, name)).then(
      () => true,
      (error: unknown) => !isAbsent(error),
    );
    if (isThere) return true;
  }
  return false;
}

/** The settings files that a program obeys whatever we do. */
export function obeyedBy(program: string): readonly string[] {
  return restraintOf(program)?.obeyed ?? [];
}

function restraintOf(program: string): Restraint | undefined {
  return KNOWN.find(([sign]) => sign.test(basename(program)))?.[1];
}
