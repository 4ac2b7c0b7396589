import { afterAll, describe, it } from 'vitest';
import { startModelServer } from '../model-server.ts';
import { describeWith } from '../with-programs.ts';
import { type Case, ROWS, type Row } from './cases.ts';
import { PROOFS } from './proofs.ts';
import { RUNNERS } from './rows.ts';
import { TABLE } from './table.ts';

/** Proves every cell of a program's row of the table, several at a time; eight at once are alone. */
export async function describeRow(row: Row): Promise<void> {
  const server = await startModelServer();
  afterAll(() => server[Symbol.asyncDispose]());
  await describeWith([ROWS[row]], `the real ${row}`, (path) => {
    const runner = RUNNERS[row](server, path(ROWS[row]));
    const prove = (name: Case) => async () => PROOFS[name](runner, TABLE[row][name], server);
    const titleOf = (name: Case) => `${name}: ${outcomeTitle(row, name)}`;
    const names = Object.keys(PROOFS).filter((name): name is Case => name in PROOFS);
    const isAlone = (name: Case) => name === 'eight in parallel';
    describe.concurrent('case by case', () => {
      for (const name of names.filter((each) => !isAlone(each))) it(titleOf(name), prove(name));
    });
    for (const name of names.filter(isAlone)) it(titleOf(name), prove(name));
  });
}

function outcomeTitle(row: Row, name: Case): string {
  const cell = TABLE[row][name];
  const outcome = cell.outcome === 'fails' ? `fails as ${cell.as.join(' or ')}` : cell.outcome;
  return cell.cannot === undefined ? outcome : `${outcome}, because ${cell.cannot}`;
}
