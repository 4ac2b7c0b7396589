import { sandboxAvailability } from '../../src/process/sandbox/bubblewrap.ts';

const found = await sandboxAvailability({
  ...process.env,
  MANYHANDS_BWRAP: process.env.MANYHANDS_TEST_BWRAP ?? 'bwrap',
});

/** The bubblewrap for tests, which MANYHANDS_TEST_BWRAP can name; `missing` is the reason why tests that need it are skipped. */
export const SANDBOX =
  found.kind === 'available'
    ? { program: found.program, title: `in a sandbox (${found.version})`, missing: false }
    : { program: '', title: `in a sandbox (skipped: ${found.reason})`, missing: true };
