import type { Risk } from './risk.ts';

/** A gate could not look at everything, and was told to leave that to a person. */
export const notChecked: Risk = {
  name: 'not-checked',
  title: 'Not checked',
  severity: 'medium',
  policy: 'block',
  find: ({ inspected }) => (inspected.held.length > 0 ? inspected.held.join('; ') : undefined),
};
