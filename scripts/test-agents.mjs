import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requireFittingNode } from '../bin/runtime.mjs';
import { boxed } from './steps/box.mjs';
import { ROOT } from './steps/checkout.mjs';
import { runOffline } from './steps/offline.mjs';
import { makeReady, say } from './steps/ready.mjs';
import { finish, runOnNode } from './steps/run.mjs';

const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');
/** They take less than ten minutes on two cores; after this something hangs. */
const LONGEST_MS = 25 * 60_000;

/**
 * The real agent programs on a scripted model: installs what is missing, then tests; arguments go to vitest. What cannot
 * be installed is not tested, which is said in a box at the end; only then is less than everything a success.
 */
await finish(async () => {
  await makeReady();
  const folder = mkdtempSync(join(tmpdir(), 'mh-agents-'));
  try {
    const report = join(folder, 'missing.json');
    const env = { ...process.env, MANYHANDS_AGENTS_REPORT: report };
    const prepared = await runOnNode(join(ROOT, 'test/real/prepare.ts'), [], { cwd: ROOT, env });
    if (prepared !== 0) return prepared;
    const missing = JSON.parse(readFileSync(report, 'utf8'));
    const code = await testAll();
    if (missing.length > 0) say(boxed(['NOT TESTED, because it could not be installed:', ...missing]));
    return code;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

async function testAll() {
  const tests = [
    requireFittingNode((line) => process.stderr.write(`${line}\n`)),
    VITEST,
    'run',
    '--config',
    'vitest.agents.config.ts',
    ...process.argv.slice(2),
  ];
  const env = { ...process.env, MANYHANDS_AGENTS_PREPARED: '1' };
  const { code, isLate } = await runOffline(tests, { cwd: ROOT, env }, LONGEST_MS);
  if (!isLate) return code;
  say(boxed([`FAILED: the tests took longer than ${LONGEST_MS / 60_000} minutes and were ended.`]));
  return 1;
}
