import { ROOT } from './steps/checkout.mjs';
import { makeReady } from './steps/ready.mjs';
import { finish, runOnNode } from './steps/run.mjs';

/** The benchmarks, built as the program is built; arguments go to them. */
await finish(async () => {
  await makeReady();
  const { buildExtra } = await import('./steps/bundle.mjs');
  await buildExtra('bench-engine', 'bench/engine-program.ts');
  const script = await buildExtra('bench', 'bench/main.ts');
  return runOnNode(script, process.argv.slice(2), { cwd: ROOT });
});
