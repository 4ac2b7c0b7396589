import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ESCAPE_CASES, OUTLIVING } from './cases.ts';
import { NETWORK_CASES } from './network-cases.ts';
import { SAFETY_ROWS } from './safety-rows.ts';

const PAGE = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'explanation', 'safety.md'), 'utf8');
const CASES = [...ESCAPE_CASES, ...NETWORK_CASES, ...OUTLIVING];

/** The cells of each row of the table of attacks, by its first one. */
function rowsOfThePage(): Map<string, readonly string[]> {
  const [, section = ''] = PAGE.split('\n## Attacks from inside an attempt\n');
  const [, , ...rows] = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('|'));
  return new Map(
    rows.map((row) => {
      const [attack = '', ...cells] = row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim());
      return [attack, cells];
    }),
  );
}

test('every attack of the escape suite has a row on the safety page, which says what is without the sandbox', () => {
  const rows = rowsOfThePage();
  const uncovered = CASES.filter(({ row }) => {
    const [prevented = '', detected = '', neither = '', ...more] = rows.get(SAFETY_ROWS[row]) ?? [];
    return prevented === '' || `${detected}${neither}` === '' || more.length > 0;
  });
  expect(uncovered.map(({ row, ...attack }) => [row, 'name' in attack ? attack.name : attack.command])).toEqual([]);
});

test('every row that the suite names is one of the page and has an attack', () => {
  expect(Object.values(SAFETY_ROWS).filter((text) => !rowsOfThePage().has(text))).toEqual([]);
  expect(Object.keys(SAFETY_ROWS).filter((name) => CASES.every(({ row }) => row !== name))).toEqual([]);
});
