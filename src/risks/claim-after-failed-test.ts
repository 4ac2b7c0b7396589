import type { Risk } from './risk.ts';

/** The last tests that it ran itself were red, and still it claims to be done. */
export const claimAfterFailedTest: Risk = {
  name: 'claim-after-failed-test',
  title: 'Success claimed after a failed test',
  severity: 'medium',
  find: ({ digest, claimedSuccess }) =>
    claimedSuccess && digest.lastTestFailed
      ? 'the last tests it ran itself failed, and it ended as if done'
      : undefined,
};
