import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { RunCards } from '../../src/access/overviews/run-cards.ts';
import { RunReader } from '../../src/access/run-reader.ts';
import { runLedger } from '../../src/engine/loop/ledger.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { realWorld } from '../../src/world.ts';
import { bigRunHistory, storeHistory } from '../support/big-run.ts';

const LAUNCHER = join(import.meta.dirname, '../../bin/manyhands.mjs');
/** Writes down which files of the program are read. */
const RECORDER = `
const fs = require('node:fs');
const { readFileSync } = fs;
fs.readFileSync = (path, ...rest) => {
  if (/\\.cjs$/.test(path)) fs.appendFileSync(process.env.RECORD, path + '\\n');
  return readFileSync(path, ...rest);
};
`;

it('loads for ls and show neither the library of schemas nor what folds a run', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'loaded-files-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const repository = join(folder, 'repository');
  execFileSync('git', ['init', '--quiet', repository]);
  await endedRun(join(folder, 'home'), repository);
  const recorder = join(folder, 'recorder.cjs');
  writeFileSync(recorder, RECORDER);
  const loadedBy = (...args: string[]) => {
    const RECORD = join(folder, args.join('-'));
    const env = { ...process.env, MANYHANDS_HOME: join(folder, 'home'), NODE_OPTIONS: `--require ${recorder}`, RECORD };
    const output = execFileSync(process.execPath, [LAUNCHER, ...args], { cwd: repository, env, encoding: 'utf8' });
    const files = readFileSync(RECORD, 'utf8').trim().split('\n');
    return { output, files: files.map((file) => file.replace(/.*\/(chunk-)?/, '').replace(/(-\w{8})?\.cjs$/, '')) };
  };
  const list = loadedBy('ls', '--all');
  expect(list.output).toContain('r0000001');
  expect(list.files).toEqual(['main', 'base']);
  const shown = loadedBy('show', 'r0000001');
  expect(shown.output).toContain('A run of 4 tasks');
  expect(shown.files).toEqual(['main', 'base', 'document', 'deferred-view']);
});

/** As an engine leaves a run that ended: its state and its list entry are kept. */
async function endedRun(home: string, root: string): Promise<void> {
  mkdirSync(home, { mode: 0o700 });
  await using store = await openSqliteStore({ file: join(home, 'manyhands.db'), world: realWorld });
  const run = 'r0000001';
  const history = bigRunHistory({ run, tasks: 4, root }, realWorld.now());
  await storeHistory(store, run, history);
  const reader = new RunReader(store, undefined);
  const cards = new RunCards({ store, state: (of) => reader.state(of), keeps: true });
  cards.at(run, history.flatMap(({ events }) => events).length);
  await runLedger(store, realWorld, reader.state(run)).snapshot();
}
