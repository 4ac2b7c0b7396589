import { ROOT } from './steps/checkout.mjs';
import { writeGenerated } from './steps/generated.mjs';
import { makeReady } from './steps/ready.mjs';
import { finish, runOnNode } from './steps/run.mjs';

/** Writes the generated sources, then docs/reference from the program itself. */
await finish(async () => {
  writeGenerated();
  await makeReady();
  const { buildExtra } = await import('./steps/bundle.mjs');
  const script = await buildExtra('docs', 'scripts/reference/main.ts');
  return runOnNode(script, [], { cwd: ROOT });
});
