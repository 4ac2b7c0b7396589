import { installIfNeeded } from './steps/install.mjs';
import { say } from './steps/ready.mjs';
import { finish } from './steps/run.mjs';

await finish(async () => {
  installIfNeeded(say);
  const { buildPrograms } = await import('./steps/bundle.mjs');
  await buildPrograms();
});
