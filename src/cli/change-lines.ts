import type { ChangeSummary } from '../schema/change.ts';
import { oneLine } from './clean-text.ts';
import { tableLines } from './output.ts';

const KINDS = [
  { title: 'KIND' },
  { title: 'FILES', right: true },
  { title: 'ADDED', right: true },
  { title: 'DELETED', right: true },
];
const MOST_NAMED = 5;

/** A change in figures, for a terminal. */
export function changeLines({ files, kinds, risks, tests }: ChangeSummary): string[] {
  if (files.length === 0) return ['Nothing changed.'];
  const rows = kinds.map((row) => [row.kind, String(row.files), `+${row.added}`, `-${row.deleted}`]);
  return [
    ...tableLines(KINDS, rows, Number.MAX_SAFE_INTEGER),
    `${tests.needed ? '!' : '✓'} tests: ${tests.reason}`,
    ...risks.map(({ risk, detail, files: of }) => `! ${risk}: ${detail}${namesOf(of)}`),
  ];
}

function namesOf(files: readonly string[]): string {
  if (files.length === 0) return '';
  const more = files.length - MOST_NAMED;
  return ` (${files.slice(0, MOST_NAMED).map(oneLine).join(', ')}${more > 0 ? ` and ${more} more` : ''})`;
}
