import { join } from 'node:path';
import { findFittingNode } from '../bin/fitting-node.mjs';
import { ROOT } from './steps/checkout.mjs';
import { runOffline } from './steps/offline.mjs';
import { makeReady } from './steps/ready.mjs';
import { finish, runOnNode } from './steps/run.mjs';

const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');

/** The real agent programs on a scripted model: installs what is missing, then tests; arguments go to vitest. */
await finish(async () => {
  await makeReady();
  const missing = await runOnNode(join(ROOT, 'test/real/prepare.ts'), [], { cwd: ROOT });
  if (missing !== 0) return missing;
  const tests = [findFittingNode(), VITEST, 'run', '--config', 'vitest.agents.config.ts', ...process.argv.slice(2)];
  return runOffline(tests, { cwd: ROOT, env: { ...process.env, MANYHANDS_AGENTS_PREPARED: '1' } });
});
