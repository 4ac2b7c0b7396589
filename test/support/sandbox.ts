import { existsSync } from 'node:fs';
import { sandboxAvailability } from '../../src/process/sandbox/contain.ts';
import { bundledBubblewrap } from '../real/programs.ts';

const found = await findSandbox();

/** The bubblewrap for tests, which MANYHANDS_TEST_BWRAP can name, else the system's, else the one in the package of Codex; `missing`: tests that need it are skipped. */
export const SANDBOX =
  found.kind === 'available'
    ? { program: found.program, title: `in a sandbox (${found.version})`, missing: false }
    : { program: '', title: `in a sandbox (skipped: ${found.reason})`, missing: true };

async function findSandbox() {
  const env = { ...process.env, MANYHANDS_BWRAP: process.env.MANYHANDS_TEST_BWRAP ?? 'bwrap' };
  const system = await sandboxAvailability(env);
  const bundled = bundledBubblewrap();
  if (system.kind === 'available' || process.env.MANYHANDS_TEST_BWRAP !== undefined || !existsSync(bundled))
    return system;
  return sandboxAvailability({ ...process.env, MANYHANDS_BWRAP: bundled });
}
