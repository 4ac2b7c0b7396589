import type { Risk } from './risk.ts';

/** A gate could not inspect everything, and its settings leave that to a person. */
export const notChecked: Risk = {
  name: 'not-checked',
  title: 'Not checked',
  severity: 'medium',
  policy: 'block',
  find: ({ inspected }) => (inspected.held.length > 0 ? inspected.held.join('; ') : undefined),
};
