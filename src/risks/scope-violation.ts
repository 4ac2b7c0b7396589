import type { Risk } from './risk.ts';

export const scopeViolation: Risk = {
  name: 'scope-violation',
  title: 'Scope violation',
  severity: 'high',
  find: ({ inspected }) => inspected.outOfScope,
};
