import type { Risk } from './risk.ts';

/** So many refusals mean that it needs a right which it does not have. */
const MANY = 3;

export const permissionDenied: Risk = {
  name: 'permission-denied',
  title: 'Permission denied',
  severity: 'low',
  find: ({ digest }) =>
    digest.permissionDenials >= MANY ? `it was refused ${digest.permissionDenials} times` : undefined,
};
