import type { Risk } from './risk.ts';

export const secretLikeOutput: Risk = {
  name: 'secret-like-output',
  title: 'Secret-like output',
  severity: 'high',
  find: ({ digest }) =>
    digest.redactions > 0
      ? `${digest.redactions} texts that look like secrets were taken out of its output`
      : undefined,
};
