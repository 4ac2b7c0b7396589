import type { Risk } from './risk.ts';

export const secretLikeOutput: Risk = {
  name: 'secret-like-output',
  title: 'Secret-like output',
  severity: 'high',
  find: ({ digest, inspected }) => {
    if (digest.redactions > 0) return `${digest.redactions} texts that look like secrets were taken out of its output`;
    return inspected.exposed > 0
      ? `${inspected.exposed} secrets stand in its output, or in commits that it left behind`
      : undefined;
  },
};
