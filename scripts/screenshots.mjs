import { join } from 'node:path';
import { ROOT } from './steps/checkout.mjs';
import { makeReady } from './steps/ready.mjs';
import { finish, runOnNode } from './steps/run.mjs';

/** Takes the pictures of docs/screenshots again, from a real server with real runs: those of the named views, or all. */
await finish(async () => {
  await makeReady();
  return runOnNode(join(ROOT, 'test/browser/support/screenshots.ts'), process.argv.slice(2), { cwd: ROOT });
});
