import type { Risk } from './risk.ts';

export const untrustedSettings: Risk = {
  name: 'untrusted-settings',
  title: 'Untrusted settings of the repository',
  severity: 'medium',
  find: ({ untrusted }) =>
    untrusted.length === 0
      ? undefined
      : `it may have obeyed ${untrusted.join(' and ')}, which you have not trusted and from which it cannot be kept`,
};
