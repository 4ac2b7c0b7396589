import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { ScopeGlob } from '../../schema/config/scope.ts';
import type { JobInput } from '../../schema/request.ts';
import { wholeNumber } from '../render/amounts.ts';

/** The options that limit a task to some files, as commander returns them. */
export const ScopeFlags = z.object({
  scopeAllow: z.array(z.string()).default([]),
  scopeDeny: z.array(z.string()).default([]),
  maxDiffLines: z.union([z.number(), z.literal(true)]).optional(),
});

/** The limit of `--max-diff-lines` without a number. */
const DEFAULT_DIFF_LINES = 800;

/** Adds the options of ScopeFlags. */
export function addScopeOptions(command: Command): Command {
  return command
    .option('--scope-allow <glob>', 'a file or folder that it may change, and no other; repeatable', collectGlob)
    .option('--scope-deny <glob>', 'a file or folder that it must not change; repeatable', collectGlob)
    .option(
      '--max-diff-lines [n]',
      `maximum number of added and deleted lines (${DEFAULT_DIFF_LINES} without a number)`,
      wholeNumber(1, 10_000_000),
    );
}

/** The scope that the flags describe, if any. */
export function scopeOf({ scopeAllow, scopeDeny, maxDiffLines }: z.infer<typeof ScopeFlags>): Pick<JobInput, 'scope'> {
  if (scopeAllow.length === 0 && scopeDeny.length === 0 && maxDiffLines === undefined) return {};
  const most = maxDiffLines === true ? DEFAULT_DIFF_LINES : maxDiffLines;
  return {
    scope: { allow: scopeAllow, deny: scopeDeny, ...(most === undefined ? {} : { maxChangedLines: most }) },
  };
}

/** Collects the globs of a repeatable option. */
export function collectGlob(value: string, before: string[] | undefined): string[] {
  const glob = ScopeGlob.safeParse(value);
  if (!glob.success) throw new InvalidArgumentError(glob.error.issues[0]?.message ?? 'must be a glob');
  return [...(before ?? []), glob.data];
}
