import { installIfNeeded } from './install.mjs';

/** Brings what is missing: dependencies, then the build. Says a line about each, and nothing if all is there. */
export async function makeReady() {
  if (process.platform === 'win32') throw new Error('Manyhands does not run on Windows itself: use it in WSL 2.');
  installIfNeeded(say);
  // Only now there is an esbuild to import.
  const { buildIfNeeded } = await import('./bundle.mjs');
  await buildIfNeeded(say);
}

/** One line for the person who watches; stdout stays free for output. */
export function say(line) {
  process.stderr.write(`${line}\n`);
}
