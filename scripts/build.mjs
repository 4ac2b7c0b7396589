import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './steps/checkout.mjs';
import { installIfNeeded } from './steps/install.mjs';
import { say } from './steps/ready.mjs';
import { finish } from './steps/run.mjs';

/** Builds dist; with `--clean` without the chunks of earlier builds, as a package must not carry them. */
await finish(async () => {
  installIfNeeded(say);
  const { buildPrograms } = await import('./steps/bundle.mjs');
  if (process.argv.includes('--clean')) rmSync(join(ROOT, 'dist'), { recursive: true, force: true });
  await buildPrograms();
});
