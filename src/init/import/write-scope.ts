import { posix } from 'node:path';
import { valueAt } from '../../config/merge.ts';
import { type ImportContext, ignored, type KeyMapping, type KeyResult, left, mapped } from './key-mapping.ts';
import { Text, Texts, Whole } from './value.ts';

/** Every key of `.claude-code-orchestrator/write-scope.json`. */
export const WRITE_SCOPE: readonly KeyMapping[] = [
  mapped('allowed_paths', 'scope.allow', {
    type: Texts,
    turn: (paths, context) => scoped('scope.allow', paths, context),
  }),
  mapped('denied_paths', 'scope.deny', { type: Texts, turn: (paths, context) => scoped('scope.deny', paths, context) }),
  mapped('max_diff_lines', 'scope.maxChangedLines', { type: Whole }),
  ...ignored('it records when and where the file was created', ['created_at', 'cwd']),
  ...ignored('they are sentences for an agent; the gate is what counts here', ['rules']),
];

/** Paths were written in full; what lies outside of the folder they were made for cannot be kept to. */
function scoped(to: string, paths: readonly string[], { whole }: ImportContext): KeyResult {
  const from = Text.safeParse(valueAt(whole, ['cwd'])).data;
  const inside = paths.flatMap((path) => insideOf(from === undefined ? undefined : slashed(from), slashed(path)) ?? []);
  if (inside.length === 0) return left('no path lies inside the project');
  const lost = paths.length - inside.length;
  return {
    settings: [{ to, value: inside }],
    ...(lost === 0 ? {} : { note: `${lost} of ${paths.length} paths lie outside the project, or are the whole of it` }),
  };
}

function insideOf(folder: string | undefined, path: string): string | undefined {
  const isWhole = path.startsWith('/') || /^[A-Za-z]:\//.test(path);
  if (isWhole && folder === undefined) return undefined;
  const way = posix.normalize(isWhole && folder !== undefined ? posix.relative(folder, path) : path);
  return way === '' || way === '.' || way.startsWith('..') || way.startsWith('/') ? undefined : way;
}

function slashed(path: string): string {
  return path.replaceAll('\\', '/');
}
