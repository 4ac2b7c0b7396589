import type { InitDocument, InitFile } from '../../schema/init.ts';
import { cleanText, oneLine } from './clean-text.ts';
import { tableLines } from './output.ts';
import type { Painter } from './symbols.ts';

const IMPORT_COLUMNS = [
  { title: 'KEY', most: 48 },
  { title: 'FATE' },
  { title: 'BECOMES', most: 40 },
  { title: 'WHY' },
];
const FATES = { mapped: 'mapped', held: 'held', ignored: 'ignored', unknown: 'not understood' } as const;

/** What was found and done, for a person; `width` is the room on their terminal. */
export function initLines(document: InitDocument, { colors, width }: { colors: Painter; width: number }): string[] {
  return [
    ...detectedLines(document),
    ...importLines(document, width),
    ...(document.files.length === 0 ? [] : ['']),
    ...document.files.map((file) => fileLine(file, { colors, dryRun: document.dryRun })),
    ...missingLines(document, colors),
    ...document.notes.map((note) => `${colors.yellow('!')} ${oneLine(note)}`),
  ];
}

function detectedLines({ detected }: InitDocument): string[] {
  if (detected === null) return [];
  const { frameworks, packageManagers, monorepo, checks, setup, base, forge } = detected;
  const rows: [string, string][] = [
    ['framework', frameworks.map(({ name, folder }) => (folder === '' ? name : `${name} in ${folder}`)).join(', ')],
    ['packages', packageManagers.join(', ')],
    ['monorepo', monorepo ?? ''],
    [
      'checks',
      checks
        .filter(({ isWanted }) => isWanted)
        .map(({ run }) => run)
        .join(', '),
    ],
    ['set-up', setup.join(', ')],
    ['base', base ?? ''],
    ['forge', forge === null ? '' : `${forge.provider ?? 'unknown'}: ${forge.repo} at ${forge.host}`],
  ];
  return rows.map(([name, value]) => `${name.padEnd(10)} ${value === '' ? '-' : oneLine(value)}`);
}

function importLines({ imported }: InitDocument, width: number): string[] {
  const files = [...new Set(imported.map(({ file }) => file))];
  return files.flatMap((file) => {
    const rows = imported
      .filter((entry) => entry.file === file)
      .map(({ key, fate, to, note }) => [oneLine(key) || 'the file', FATES[fate], to ?? '', oneLine(note ?? '')]);
    return ['', file, ...tableLines(IMPORT_COLUMNS, rows, width)];
  });
}

function fileLine({ path, action, backup, note }: InitFile, how: { colors: Painter; dryRun: boolean }): string {
  const { colors, dryRun } = how;
  const isDone = action === 'written' || action === 'updated' || action === 'removed';
  const mark = isDone ? colors.green('✓') : colors.dim('·');
  const words = { written: 'write', updated: 'update', removed: 'remove', unchanged: 'unchanged', kept: 'kept' };
  const what = isDone && dryRun ? `would ${words[action]}` : action;
  const more = [note, backup === null ? null : `backup: ${backup}`].filter((text) => text !== null).join('; ');
  return `${mark} ${path}  ${what}${more === '' ? '' : ` (${more})`}`;
}

function missingLines({ missing }: InitDocument, colors: Painter): string[] {
  if (missing === null) return [];
  const lines = cleanText(missing).trimEnd().split('\n');
  return [
    '',
    'Your settings do not say this yet; add what you want:',
    '',
    ...lines.map((line) => colors.dim(`  ${line}`)),
  ];
}
