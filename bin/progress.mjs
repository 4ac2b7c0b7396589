// Any Node from 18 on must be able to read this file.
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(import.meta.url);
const INTERVAL_MS = 2_000;

if (process.argv[1] === SCRIPT) report(process.argv[2], process.argv[3]);

/** Reports the progress of an installation into a folder on stderr until the result is called, also while the caller blocks. */
export function reportProgress(what, folder) {
  const reporter = spawn(process.execPath, [SCRIPT, what, folder], { stdio: ['pipe', 'ignore', 'inherit'] });
  // Without a reporter the installation is only less visible.
  reporter.on('error', () => {});
  reporter.stdin.on('error', () => {});
  return () => reporter.kill();
}

function report(what, folder) {
  const startedAt = Date.now();
  setInterval(() => {
    const seconds = Math.round((Date.now() - startedAt) / 1_000);
    const count = packagesIn(join(folder, 'node_modules'));
    process.stderr.write(
      `Installing ${what}: ${seconds} s, ${count} ${count === 1 ? 'package' : 'packages'} so far …\n`,
    );
  }, INTERVAL_MS);
  // The end of the process that waits for the installation.
  process.stdin.on('end', () => process.exit()).resume();
}

function packagesIn(modules) {
  const names = namesIn(modules);
  return names.reduce((sum, name) => sum + (name.startsWith('@') ? namesIn(join(modules, name)).length : 1), 0);
}

function namesIn(folder) {
  try {
    return readdirSync(folder).filter((name) => !name.startsWith('.'));
  } catch {
    // npm has not created it yet.
    return [];
  }
}
