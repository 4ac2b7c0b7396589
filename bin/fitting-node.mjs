import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';

const OLDEST = [22, 18];

/** Whether a Node of this version can run the program. */
export function isFitting(version) {
  const [major, minor] = version.replace(/^v/, '').split('.').map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

/** The Node that runs the program: the one running now if it fits, else the one that the set-up brought, else nothing. */
export function findFittingNode() {
  return isFitting(process.version) ? process.execPath : findBroughtNode();
}

function findBroughtNode() {
  try {
    const manifest = createRequire(import.meta.url).resolve(`node-${process.platform}-${process.arch}/package.json`);
    const node = manifest.replace(/package\.json$/, 'bin/node');
    return existsSync(node) ? node : undefined;
  } catch {
    // Not installed here: it is optional, and there is none for every system.
    return undefined;
  }
}
