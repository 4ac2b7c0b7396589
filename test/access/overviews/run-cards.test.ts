import { expect, it } from 'vitest';
import { RunCards } from '../../../src/access/overviews/run-cards.ts';
import { RunReader } from '../../../src/access/run-reader.ts';
import { openSqliteStore } from '../../../src/store/sqlite/open.ts';
import { realWorld } from '../../../src/world.ts';
import { bigRunHistory, storeHistory } from '../../support/big-run.ts';

it('reads the stored card of an ended run instead of folding its history again', async () => {
  await using store = await openSqliteStore({ file: ':memory:', world: realWorld });
  const history = bigRunHistory({ run: 'ended001', tasks: 2, root: '/project' }, 1_000);
  await storeHistory(store, 'ended001', history);
  const version = history.reduce((count, { events }) => count + events.length, 0);
  const reader = new RunReader(store, undefined);
  const made = new RunCards({ store, state: (run) => reader.state(run), keeps: true }).at('ended001', version);
  // The card is stored after it was returned, and before what is stored later.
  await storeHistory(store, 'later001', bigRunHistory({ run: 'later001', tasks: 1, root: '/project' }, 2_000));
  const fold = () => {
    throw new Error('folded');
  };
  const next = new RunCards({ store, state: fold, keeps: false });
  expect(next.at('ended001', version)).toEqual(made);
  expect(() => next.at('ended001', version + 1)).toThrow('folded');
});
