import { join } from 'node:path';
import { ROOT } from './steps/checkout.mjs';
import { makeReady } from './steps/ready.mjs';
import { finish, runOnNode } from './steps/run.mjs';

const MODULES = join(ROOT, 'node_modules');

/** Types, style, then the tests; arguments go to vitest, `crash` as the first runs the full crash suite instead. */
await finish(async () => {
  await makeReady();
  const [first, ...rest] = process.argv.slice(2);
  const isCrash = first === 'crash';
  const args = isCrash ? ['--config', 'vitest.crash.config.ts', ...rest] : process.argv.slice(2);
  return (
    (await runTool('typescript/bin/tsc', ['--noEmit'])) ||
    (await runTool('typescript/bin/tsc', ['--noEmit', '-p', 'src/dashboard'])) ||
    (await runTool('typescript/bin/tsc', ['--noEmit', '-p', 'test/browser'])) ||
    (await runTool('@biomejs/biome/bin/biome', ['check', '.'])) ||
    (await runTool('vitest/vitest.mjs', ['run', ...args]))
  );
});

function runTool(script, args) {
  return runOnNode(join(MODULES, script), args, { cwd: ROOT });
}
