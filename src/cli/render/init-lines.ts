import type { InitDocument, InitFile } from '../../init/init-document.ts';
import { cleanText, oneLine } from './clean-text.ts';
import { tableLines } from './output.ts';
import type { Painter } from './symbols.ts';

const IMPORT_COLUMNS = [
  { title: 'KEY', most: 48 },
  { title: 'RESULT' },
  { title: 'BECOMES', most: 40 },
  { title: 'WHY' },
];
const RESULTS = { mapped: 'imported', held: 'needs consent', ignored: 'ignored', unknown: 'unknown key' } as const;

/** What was detected and done; `width` is the width of the terminal. */
export function initLines(document: InitDocument, { colors, width }: { colors: Painter; width: number }): string[] {
  return [
    ...detectedLines(document),
    ...importLines(document, width),
    ...(document.files.length === 0 ? [] : ['']),
    ...document.files.map((file) => fileLine(file, { colors, dryRun: document.dryRun })),
    ...missingLines(document, colors),
    ...proofLines(document, colors),
    ...document.notes.map((note) => `${colors.yellow('!')} ${oneLine(note)}`),
  ];
}

function detectedLines({ detected }: InitDocument): string[] {
  if (detected === null) return [];
  const { frameworks, packageManagers, monorepo, checks, setup, base, forge } = detected;
  const rows: [string, string][] = [
    ['framework', frameworks.map(({ name, folder }) => (folder === '' ? name : `${name} in ${folder}`)).join(', ')],
    ['package manager', packageManagers.join(', ')],
    ['monorepo', monorepo ?? ''],
    [
      'checks',
      checks
        .filter(({ isWanted }) => isWanted)
        .map(({ run }) => run)
        .join(', '),
    ],
    ['setup', setup.join(', ')],
    ['base', base ?? ''],
    ['forge', forge === null ? '' : `${forge.provider ?? 'unknown'}: ${forge.repo} at ${forge.host}`],
  ];
  return rows.map(([name, value]) => `${name.padEnd(15)} ${value === '' ? '-' : oneLine(value)}`);
}

function importLines({ imported }: InitDocument, width: number): string[] {
  const files = [...new Set(imported.map(({ file }) => file))];
  return files.flatMap((file) => {
    const rows = imported
      .filter((entry) => entry.file === file)
      .map(({ key, fate, to, note }) => [oneLine(key) || 'the file', RESULTS[fate], to ?? '', oneLine(note ?? '')]);
    return ['', file, ...tableLines(IMPORT_COLUMNS, rows, width)];
  });
}

function fileLine({ path, action, backup, note }: InitFile, how: { colors: Painter; dryRun: boolean }): string {
  const { colors, dryRun } = how;
  const isDone = action === 'written' || action === 'updated' || action === 'removed';
  const mark = isDone ? colors.green('✓') : colors.dim('·');
  const verbs = { written: 'write', updated: 'update', removed: 'remove', unchanged: 'unchanged', kept: 'kept' };
  const what = isDone && dryRun ? `would ${verbs[action]}` : action;
  const more = [note, backup === null ? null : `backup: ${backup}`].filter((text) => text !== null).join('; ');
  return `${mark} ${path}  ${what}${more === '' ? '' : ` (${more})`}`;
}

function proofLines({ proof }: InitDocument, colors: Painter): string[] {
  if (proof === undefined) return [];
  const passed = proof.filter((check) => check.passed).length;
  return [
    '',
    proof.length === 0 ? 'No check to run' : `Ran the checks in your checkout: ${passed} of ${proof.length} passed`,
    ...proof.flatMap((check) => [
      `${check.passed ? colors.green('✓') : colors.red('✗')} ${oneLine(check.run)}  ${check.result}${check.isUsed ? '' : '; left out of the settings'}`,
      ...check.output.map((line) => colors.dim(`    ${oneLine(line)}`)),
    ]),
  ];
}

function missingLines({ missing }: InitDocument, colors: Painter): string[] {
  if (missing === null) return [];
  const lines = cleanText(missing).trimEnd().split('\n');
  return [
    '',
    'Your settings file already exists and is not changed. These detected settings are missing from it:',
    '',
    ...lines.map((line) => colors.dim(`  ${line}`)),
  ];
}
