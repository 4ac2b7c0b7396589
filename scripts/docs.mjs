import { ROOT } from './steps/checkout.mjs';
import { makeReady } from './steps/ready.mjs';
import { finish, runOnNode } from './steps/run.mjs';

/** Writes docs/reference anew from the program itself. */
await finish(async () => {
  await makeReady();
  const { buildExtra } = await import('./steps/bundle.mjs');
  const script = await buildExtra('docs', 'scripts/reference/main.ts');
  return runOnNode(script, [], { cwd: ROOT });
});
