import type { Risk } from './risk.ts';

export const secretLikeOutput: Risk = {
  name: 'secret-like-output',
  title: 'Secret-like output',
  severity: 'high',
  find: ({ digest, inspected }) => {
    if (digest.redactions > 0) return `${digest.redactions} possible secrets were redacted in its output`;
    return inspected.exposed > 0
      ? `its output, or commits that it left behind, contain ${inspected.exposed} secrets`
      : undefined;
  },
};
